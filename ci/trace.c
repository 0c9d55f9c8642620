/* A plugin for qemu's user-mode emulators: of each function of the program it prints how many instructions
   were executed, how many memory accesses they made, and a hash of the program counters and one of the
   addresses, in their order. What has no symbol, such as the C library, is one function. It counts from the
   first execution of the function that is named by the argument `from`.

   The plugin interface, version 1, is declared here as qemu documents it, since no package of Debian 12 has
   its header. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct block;
struct instruction;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct block *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_vcpu_mem_cb(struct instruction *, void (*)(unsigned, uint32_t, uint64_t, void *), int flags,
                                      int direction, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
struct instruction *qemu_plugin_tb_get_insn(const struct block *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *);
const char *qemu_plugin_insn_symbol(const struct instruction *);
void qemu_plugin_outs(const char *);

#define EXPORT __attribute__((visibility("default")))
enum { NO_REGISTERS = 0, READ_AND_WRITE = 3 };

EXPORT int qemu_plugin_version = 1;

struct function {
    struct function *next;
    const char *name;
    bool starts;
    uint64_t instructions, accesses, counters, addresses;
};

/* An instruction of the program. */
struct place {
    struct function *function;
    uint64_t counter;
};

static struct function *functions;
static const char *from;
static bool counting;

static void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (!memory)
        abort();
    return memory;
}

/* The FNV-1a hash, of 64-bit values instead of bytes, and turned so that high bits count, too. */
static uint64_t hash(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x100000001b3;
    return hash << 23 | hash >> 41;
}

static struct function *function(const char *name) {
    for (struct function *known = functions; known; known = known->next)
        if (!strcmp(known->name, name))
            return known;
    struct function *added = allocate(sizeof *added);
    added->name = strdup(name);
    added->starts = !strcmp(name, from);
    added->next = functions;
    return functions = added;
}

static void executed(unsigned cpu, void *argument) {
    (void)cpu;
    const struct place *place = argument;
    counting |= place->function->starts;
    if (counting) {
        place->function->instructions++;
        place->function->counters = hash(place->function->counters, place->counter);
    }
}

static void accessed(unsigned cpu, uint32_t kind, uint64_t address, void *argument) {
    (void)cpu, (void)kind;
    struct function *function = argument;
    if (counting) {
        function->accesses++;
        function->addresses = hash(function->addresses, address);
    }
}

static void translated(plugin_id id, struct block *block) {
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct instruction *instruction = qemu_plugin_tb_get_insn(block, i);
        const char *symbol = qemu_plugin_insn_symbol(instruction);
        struct place *place = allocate(sizeof *place);
        place->function = function(symbol ? symbol : "-");
        place->counter = qemu_plugin_insn_vaddr(instruction);
        qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS, place);
        qemu_plugin_register_vcpu_mem_cb(instruction, accessed, NO_REGISTERS, READ_AND_WRITE, place->function);
    }
}

static void report(plugin_id id, void *argument) {
    (void)id, (void)argument;
    for (const struct function *f = functions; f; f = f->next) {
        char line[1024];
        snprintf(line, sizeof line, "%s %" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", f->name,
                 f->instructions, f->accesses, f->counters, f->addresses);
        if (f->instructions)
            qemu_plugin_outs(line);
    }
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **arguments) {
    (void)info;
    if (count != 1 || strncmp(arguments[0], "from=", 5))
        return 1;
    from = strdup(arguments[0] + 5);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
