import type { Edit } from '../office/splice.ts';
import { linesOf, widthOf } from '../office/text-width.ts';
import { withAttributes } from '../office/xml-reader.ts';
import type { InheritedStyles } from './inherited-styles.ts';
import { emusPerPoint } from './shapes.ts';
import type { BodyProperties, TextBody } from './text-body.ts';

/** The font scales that PowerPoint uses, in thousandths of a percent. */
const scales = [100_000, 92_500, 85_000, 77_500, 70_000, 62_500, 55_000, 47_500, 40_000, 32_500, 25_000];

/** The beginning of the namespaces of strict files. */
const strict = 'http://purl.oclc.org/';

/** The usual distance between the baselines of two lines, in em. */
const lineHeight = 1.2;
/** A source that needs more than this multiple of its shape's height is not meant to fit into it. */
const maxOverflow = 1.5;
/** The insets of a text body that sets none, in EMUs. */
const defaultInsets = { lIns: 91_440, rIns: 91_440, tIns: 45_720, bIns: 45_720 };

/** A paragraph of a text body. */
interface Line {
  text: string;
  /** The size of the text, in points. */
  size: number;
}

/** The room for text in a shape, in points. */
interface Room {
  width: number;
  height: number;
}

/** The change of a text body. */
interface Fitted {
  edit: Edit;
  /** Whether the text has a smaller size than in the source. */
  isShrunk: boolean;
}

/**
 * Returns the edit that shrinks text on overflow, if a body's translation is longer than its source. The text gets a scale
 * at which it needs no more height than the shape has, or than the source needs. Widths of characters are approximate.
 * Shapes that grow with their text, cells of tables, text without line breaks, and shapes that are too small for their
 * source keep their properties: if these were shrunk, programs would fit all of the text into them.
 *
 * @param source the XML of the part
 * @param before the paragraphs of the source
 * @param after the paragraphs of the translation
 */
export function fitText(
  source: string,
  body: TextBody,
  styles: InheritedStyles,
  before: readonly Line[],
  after: readonly Line[],
): Fitted | undefined {
  const { shape, properties, inTable } = body;
  const { tag, fit } = properties;
  const inherited = styles.body(shape?.placeholder);
  const attributes = { ...inherited.attributes, ...properties.attributes };
  const kind = fit?.local ?? inherited.fit;
  if (
    !tag ||
    !shape ||
    body.hasOtherTextFrame ||
    inTable ||
    kind === 'spAutoFit' ||
    attributes['wrap'] === 'none' ||
    properties.isWarped
  )
    return undefined;
  if (totalWidth(after) <= totalWidth(before)) return undefined;
  const frame = body.frame ?? styles.frame(shape.placeholder);
  const present = scaleOf(fit?.attributes['fontScale']);
  const room = frame && roomOf(frame, attributes);
  if (kind !== 'normAutofit' && room && heightAt(before, room, present) > maxOverflow * room.height)
    return undefined;
  const scale = room ? scaleFor(room, present, before, after) : present;
  if (kind === 'normAutofit' && scale === present) return undefined;
  return { edit: editOf(source, properties, scale), isShrunk: scale < present };
}

/** Returns the edit that gives a body a font scale. */
function editOf(source: string, { tag, fit, fitAt }: BodyProperties, scale: number): Edit {
  const { name, start, end, selfClosing } = tag!;
  // Strict files have percentages.
  const written = tag!.namespace?.startsWith(strict) ? `${scale / 1000}%` : `${scale}`;
  const value = scale < scales[0]! ? written : undefined;
  if (fit?.local === 'normAutofit') {
    const opening = /^<(?:[^"'>]+|"[^"]*"|'[^']*')*>/.exec(source.slice(fit.start, fit.end))![0];
    const text = withAttributes(opening, { fontScale: value });
    return { start: fit.start, end: fit.start + opening.length, text };
  }
  const prefix = name.slice(0, -'bodyPr'.length);
  const element = `<${prefix}normAutofit${value ? ` fontScale="${value}"` : ''}/>`;
  if (fit) return { start: fit.start, end: fit.end, text: element };
  if (!selfClosing) return { start: fitAt, end: fitAt, text: element };
  const opening = source.slice(start, end).replace(/\s*\/>$/, '>');
  return { start, end, text: `${opening}${element}</${name}>` };
}

function totalWidth(lines: readonly Line[]): number {
  return lines.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Reads a scale, which strict files write as a percentage. */
function scaleOf(written: string | undefined): number {
  if (written === undefined) return scales[0]!;
  return written.endsWith('%') ? Number.parseFloat(written) * 1000 : Number(written);
}

function roomOf(
  frame: { width: number; height: number },
  attributes: Readonly<Record<string, string>>,
): Room {
  const inset = (name: keyof typeof defaultInsets): number => Number(attributes[name] ?? defaultInsets[name]);
  const isTurned = /^(vert|vert270|wordArtVert|mongolianVert|eaVert)$/.test(attributes['vert'] ?? '');
  const [width, height] = isTurned ? [frame.height, frame.width] : [frame.width, frame.height];
  return {
    width: Math.max(0, width - inset('lIns') - inset('rIns')) / emusPerPoint,
    height: Math.max(0, height - inset('tIns') - inset('bIns')) / emusPerPoint,
  };
}

/** Returns the approximate height of text with a font scale, in points. */
function heightAt(lines: readonly Line[], { width }: Room, scale: number): number {
  return lines.reduce((sum, { text, size }) => {
    const em = (size * scale) / scales[0]!;
    return sum + linesOf(text, width / em) * em * lineHeight;
  }, 0);
}

/** Returns the largest scale at which the translation fits. */
function scaleFor(room: Room, present: number, before: readonly Line[], after: readonly Line[]): number {
  const available = Math.max(room.height, heightAt(before, room, present));
  const possible = scales.filter((scale) => scale < present);
  const fitting = [present, ...possible].find((scale) => heightAt(after, room, scale) <= available);
  return fitting ?? possible.at(-1) ?? present;
}
