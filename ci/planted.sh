# Sourced by checks that run again on a copy of the project with a planted defect. Wants $scratch, a
# folder for the copies.
# shellcheck shell=bash

# copy FROM TO: the files of a checkout, without what was built.
copy() {
    rm -rf "$2"
    mkdir -p "$2"
    tar -c -C "$1" --exclude target --exclude .git . | tar -x -C "$2"
}

# planted NAME: a fresh copy of the project; prints its folder.
planted() {
    copy . "$scratch/$1"
    echo "$scratch/$1"
}

# caught REGEX COMMAND…: the command has to fail, and to say so.
caught() {
    local text=$1 log=$scratch/caught.log status
    shift
    set +e
    # In a condition the shell would run on past what fails.
    (set -e; "$@") >"$log" 2>&1
    status=$?
    set -e
    if [ $status = 0 ] || ! grep -qEe "$text" "$log"; then
        cat "$log"
        echo "not caught: $* (status $status)"
        exit 1
    fi
    echo "   control: $(grep -Em1 -e "$text" "$log" | sed 's/^ *//' | cut -c1-150)"
}
