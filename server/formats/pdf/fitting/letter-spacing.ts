import { widestWord } from '../../typesetting/lines.ts';
import { type Frame, roomBeside } from './fit.ts';
import type { FreeSpace } from './free-space.ts';
import type { StyledParagraph } from './styled-text.ts';

/**
 * Gives the single lines of one look and letter spacing a common letter spacing: the widest one with which all of them
 * fit into the free space next to them.
 */
export function withCommonSpacing(frames: readonly Frame[], space: FreeSpace): Frame[] {
  // The labels of buttons have less space than headings of the same look.
  const keyOf = ({ container, letterSpacing, look }: Frame) =>
    `${look} ${letterSpacing.toFixed(1)} ${container !== null}`;
  const spacings = Map.groupBy(frames.filter(isSpaced), keyOf)
    .entries()
    .map(([key, group]) => [key, Math.min(...group.map((frame) => spacingOf(frame, space)))] as const);
  const common = new Map(spacings);
  return frames.map((frame) => {
    if (!isSpaced(frame)) return frame;
    const paragraphs = frame.text.paragraphs.map((own) => spaced(own, common.get(keyOf(frame))!));
    return { ...frame, text: { ...frame.text, paragraphs } };
  });
}

function isSpaced({ letterSpacing, singleLine, text }: Frame): boolean {
  const [first, ...others] = text.paragraphs;
  return letterSpacing > 0 && singleLine && others.length === 0 && first!.shaped.clusters.length > 0;
}

/** Returns the letter spacing that a text has in the free space next to it, in em. */
function spacingOf(frame: Frame, space: FreeSpace): number {
  const [{ shaped, spans, width }] = frame.text.paragraphs as [StyledParagraph];
  const own = spans[0]?.spacing ?? 0;
  const { left, right } = roomBeside(frame, space, false);
  const missing = width - (right - left) / (frame.size * frame.stretch);
  return Math.max(0, own - Math.max(0, missing / shaped.clusters.length));
}

/** Returns a paragraph with another letter spacing. */
function spaced(paragraph: StyledParagraph, spacing: number): StyledParagraph {
  const added = spacing - (paragraph.spans[0]?.spacing ?? 0);
  const widened = paragraph.shaped.clusters.map((one) => ({ ...one, advance: one.advance + added }));
  const shaped = { ...paragraph.shaped, clusters: widened };
  const width = widened.reduce((sum, { advance, scale }) => sum + advance * scale, 0);
  const spans = paragraph.spans.map((span) => ({ ...span, spacing }));
  return { ...paragraph, shaped, spans, width, widestWord: widestWord(shaped) };
}
