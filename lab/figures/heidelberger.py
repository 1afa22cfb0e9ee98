"""docs/methods/heidelberger-2003.md: its tables."""
from blocks import all_rows, block, rows_and_notes, table
from results import figure, number, unit

PAGE = "docs/methods/heidelberger-2003.md"

rows_and_notes(PAGE, "pairs", "ldi-pairs",
               ["bodies", "layers, first", "paper", "layers, second", "paper", "stages 1 and 2, ms",
                "stage 3, ms", "paper, stages 1 and 2, ms", "with the range, ms", "all triangles, ms",
                "scalar twin, ms", "OpenGL, stencil, ms", "OpenGL, lists, ms"],
               ["depth_a", "paper_depth_a", "depth_b", "paper_depth_b", "image_ms", "query_ms",
                "paper_ms", "bounded_ms", "all_ms", "scalar_ms", "stencil_ms", "lists_ms"],
               notes=False)
rows_and_notes(PAGE, "objects", "ldi-objects",
               ["body", "triangles", "layers", "layers, paper", "image, ms", "paper, ms", "100,000 points, ms",
                "paper, ms", "image with the range, ms", "scalar twin, ms", "OpenGL, stencil, ms",
                "OpenGL, lists, ms"],
               ["triangles", "depth", "paper_depth", "image_ms", "paper_ms", "points_ms",
                "paper_points", "bounded_ms", "scalar_ms", "stencil_ms", "lists_ms"], notes=False)
rows_and_notes(PAGE, "resolution", "ldi-resolution",
               ["", "ms", "with the range, ms", "error, %", "width of the range, %", "MB",
                "with the range, MB"],
               ["sampled_ms", "range_ms", "error_percent", "width_percent", "sampled_mb",
                "range_mb"], notes=False)
rows_and_notes(PAGE, "self", "ldi-self",
               ["body", "triangles", "layers", "self-overlap, ms", "of its parts, ms",
                "self-overlap, volume", "width of its range, volume", "of its parts, volume",
                "width of its range, volume"],
               ["triangles", "depth", "self_ms", "pair_ms", "self_volume", "self_width",
                "pair_volume", "pair_width"], notes=False)


@block(PAGE, "particles")
def particles(r):
    return all_rows(r, "ldi-particles",
                    ["", "deforming, ms", "image and points, ms", "particles, ms", "step, ms",
                     "contacts a step"],
                    ["deform_ms", "detect_ms", "particles_ms", "step_ms", "contacts"]) + (
        "\n\nSteps per second, without drawing: "
        f"{number(r.ratio('ldi-particles', 'steps_per_second'))} (the paper, with drawing: 29).")


@block(PAGE, "ratios")
def ratios(r):
    renderer = r.data["machine"].get("renderer")
    rows = [[name, f"`{key}`", figure(key, value), r.experiment(name)["meanings"][key]]
            for name in ("ldi-pairs", "ldi-objects")
            for key, value in r.experiment(name)["ratios"].items() if unit(key) == "x"]
    lines = table(["experiment", "ratio", "here", "what it is"], rows, left=2).split("\n")
    lines[1] = "|---|---|--:|---|"
    return "\n".join(lines) + (
        f"\n\nOpenGL is {'drawn by ' + renderer if renderer else 'missing here'}.")
