# SPDX-License-Identifier: BSD-3-Clause
"""Two contenders in turns: how many times faster, and how sure that is."""
import statistics


def compare(theirs, ours, must):
    """Ratio of the medians, and the middle half of the ratios of single turns."""
    ratios = sorted(a / b for a, b in zip(theirs, ours))
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else (ratios[0], 0, ratios[0])
    ratio = statistics.median(theirs) / statistics.median(ours)
    return {"theirs": statistics.median(theirs), "ours": statistics.median(ours), "ratio": ratio,
            "middle_half": [low, high], "must": must, "holds": must is None or ratio >= must}


def processor():
    with open("/proc/cpuinfo") as lines:
        cpu = dict(line.rstrip("\n").replace("\t", "").split(":", 1) for line in lines if ":" in line)
    return f"{cpu.get('model name', ' unknown').strip()}, family {cpu.get('cpu family', '?').strip()}, " \
           f"model {cpu.get('model', '?').strip()}"


def print_head(what, peer="netCDF-C"):
    print(f"\nprocessor: {processor()}")
    print(f"{what:<44}{peer + ' s':>11}{'Cellar s':>10}{'ratio':>7}  {'middle half':<14}{'must':>5}  holds")


def print_row(name, row):
    low, high = row["middle_half"]
    holds = "" if row["must"] is None else "yes" if row["holds"] else "NO"
    print(f"{name:<44}{row['theirs']:>11.4f}{row['ours']:>10.4f}{row['ratio']:>7.2f}  {low:5.2f} .. {high:<5.2f}"
          f"{row['must'] or '':>5}  {holds}{row.get('note', '')}", flush=True)
