"""Line charts as SVG, readable on light and on dark pages."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 54, 50

# Distinguishable with most kinds of colour blindness, and on black as on white.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8c6bb1", "#888888"]

STYLE = """
text { font: 13px sans-serif; fill: #222; }
.axis { stroke: #999; fill: none; }
.grid { stroke: #9994; fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #ddd; } }
"""


def number(value):
    for unit, name in ((1 << 20, " Mi"), (1 << 10, " Ki")):
        if value >= unit and value % unit == 0:
            return f"{value // unit}{name}"
    return f"{value:g}"


def ticks(low, high):
    """Powers of ten and, where there are few, their doubles and halves."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 4 else (1,)
    values = (step * 10**decade for decade in decades for step in steps)
    return [value for value in values if low <= value <= high]


def chart(title, x_name, y_name, lines):
    """`lines` are names with points; both axes are logarithmic."""
    points = [point for _, line in lines for point in line]
    xs = sorted({x for x, _ in points})
    low, high = min(y for _, y in points) / 1.15, max(y for _, y in points) * 1.15
    span = math.log(xs[-1] / xs[0])

    def at(x, y):
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / xs[0]) / span,
            TOP + (HEIGHT - TOP - BOTTOM) * math.log(high / y) / math.log(high / low),
        )

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text x="{LEFT}" y="20" font-weight="bold">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 8}">{escape(x_name)}</text>',
        f'<text x="8" y="{TOP - 12}">{escape(y_name)}</text>',
    ]
    for value in ticks(low, high):
        _, y = at(xs[0], value)
        out.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for x in xs:
        place, _ = at(x, low)
        out.append(f'<path class="axis" d="M{place:.1f} {HEIGHT - BOTTOM}v5"/>')
        out.append(
            f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{number(x)}</text>'
        )
    out.append(f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>')
    ends = []
    for i, (name, line) in enumerate(lines):
        colour = COLOURS[i % len(COLOURS)]
        path = "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in sorted(line))
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in line:
            out.append('<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>'.format(*at(*point), colour))
        ends.append((at(*max(line))[1], name, colour))
    # Names stand at the ends of the lines, one below the other.
    lowest = TOP - 14
    for y, name, colour in sorted(ends):
        lowest = max(y, lowest + 15)
        x = WIDTH - RIGHT + 10
        out.append(f'<path d="M{x} {lowest:.1f}h14" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<text x="{x + 20}" y="{lowest + 4:.1f}">{escape(name)}</text>')
    return "\n".join(out) + "\n</svg>\n"
