"""Prints the texts of PPTX files as python-pptx reads them, without fields: one JSON list for each path of the input.

A file that cannot be read has a string instead, the error.
"""

import json
import sys

from pptx import Presentation


def paragraphs(frame):
    for paragraph in frame.paragraphs:
        yield "".join(run.text for run in paragraph.runs)


def chart_texts(chart):
    if chart.has_title and chart.chart_title.has_text_frame:
        yield from paragraphs(chart.chart_title.text_frame)
    for plot in chart.plots:
        yield from (str(label) for label in plot.categories)
        yield from (series.name for series in plot.series)


def texts(shapes):
    for shape in shapes:
        if shape.shape_type is not None and hasattr(shape, "shapes"):
            yield from texts(shape.shapes)
        elif shape.has_text_frame:
            yield from paragraphs(shape.text_frame)
        elif getattr(shape, "has_table", False) and shape.has_table:
            for row in shape.table.rows:
                for cell in row.cells:
                    yield from paragraphs(cell.text_frame)
        elif getattr(shape, "has_chart", False) and shape.has_chart:
            yield from chart_texts(shape.chart)


def read(path):
    presentation = Presentation(path)
    for slide in presentation.slides:
        yield from texts(slide.shapes)
        if slide.has_notes_slide:
            yield from texts(slide.notes_slide.shapes)
    for master in presentation.slide_masters:
        yield from texts(master.shapes)
        for layout in master.slide_layouts:
            yield from texts(layout.shapes)


for line in sys.stdin:
    try:
        found = list(read(line.rstrip("\n")))
    except Exception as error:  # A judge reports each file that it cannot read.
        found = f"{type(error).__name__}: {error}"
    print(json.dumps(found), flush=True)
