import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import type { InlineContent } from '#server/formats/inline-content.ts';
import type { BlockTranslation } from '#server/formats/pdf/fitting/frames.ts';
import type { Matrix, Rectangle } from '#server/formats/pdf/geometry.ts';
import type { PageContent, Paint, ShownText } from '#server/formats/pdf/page-content.ts';
import type { TextBlock, TextStyle } from '#server/formats/pdf/text-block.ts';
import { fitBlocks, type TypesetPage, typesetPage } from '#server/formats/pdf/writing/typeset-blocks.ts';
import { DocumentFonts } from '#server/formats/typesetting/document-fonts.ts';
import { singleLine } from '#server/formats/typesetting/lines.ts';
import { shapeParagraph } from '#server/formats/typesetting/paragraph.ts';

export const plainStyle: TextStyle = {
  family: 'serif',
  bold: false,
  italic: false,
  size: 10,
  rise: 0,
  color: '',
};

/** A block of the source with the lines that it shows, in the form of an analyzed page. */
export interface Source {
  id?: string;
  /** The lines of the source, one string for each. */
  lines: string[];
  /** The left end of the first line on its baseline, in the coordinates of the block. */
  x?: number;
  y?: number;
  style?: Partial<TextStyle>;
  spans?: Record<number, Partial<TextStyle>>;
  leading?: number;
  alignment?: TextBlock['alignment'];
  indent?: number;
  matrix?: Matrix;
  container?: Rectangle | null;
  optionalContent?: string[];
}

export const rectangle = (left: number, bottom: number, right: number, top: number): Rectangle => ({
  left,
  bottom,
  right,
  top,
});

/** Something that is painted on a page. */
export const paint = (box: Rectangle, kind: Paint['kind'] = 'image', parts?: Rectangle[]): Paint => ({
  kind,
  box,
  order: 0,
  opaque: true,
  ...(parts ? { parts } : {}),
});

let blocks = 0;

export function widthOf(text: string, style: Pick<TextStyle, 'family' | 'bold' | 'italic' | 'size'>): number {
  const spans = [{ ...style, end: text.length, scale: 1 }];
  return style.size * singleLine(shapeParagraph(text, { language: 'en', spans })).width;
}

export function blockOf(source: Source): TextBlock {
  const style = { ...plainStyle, ...source.style };
  const { lines, x = 72, y = 700, indent = 0, matrix = [1, 0, 0, 1, 0, 0], alignment = 'left' } = source;
  const leading = source.leading ?? 1.2 * style.size;
  const widths = lines.map((line) => widthOf(line, style));
  const widest = Math.max(...widths);
  const placed = widths.map((width, index) => {
    const inset = alignment === 'right' ? widest - width : alignment === 'center' ? (widest - width) / 2 : 0;
    const shift = index === 0 ? Math.max(0, indent) : Math.max(0, -indent);
    return { left: x + inset + shift, right: x + inset + shift + width, baseline: y - index * leading };
  });
  const text = {
    place: { use: 0, start: 0, end: 0 },
    order: 0,
    glyphs: [],
    font: {
      name: 'Times',
      family: style.family,
      bold: style.bold,
      italic: style.italic,
      ascent: 0.8,
      descent: 0.2,
    },
    matrix,
    color: style.color,
    optionalContent: source.optionalContent ?? [],
    kept: null,
  } satisfies ShownText;
  return {
    id: source.id ?? `p1.b${++blocks}`,
    page: 1,
    kind: 'paragraph',
    content: [lines.join(' ')],
    spans: new Map(
      Object.entries(source.spans ?? {}).map(([tag, span]) => [Number(tag), { ...style, ...span }]),
    ),
    moved: new Map(),
    style,
    matrix,
    box: {
      left: Math.min(...placed.map(({ left }) => left)),
      right: Math.max(...placed.map(({ right }) => right)),
      bottom: placed.at(-1)!.baseline - 0.2 * style.size,
      top: y + 0.8 * style.size,
    },
    lines: placed,
    alignment,
    sharesEdge: false,
    indent,
    leading,
    glyphs: [{ text, from: 0, to: 0 }],
    label: null,
    container: source.container ?? null,
    rules: [],
  };
}

export function pageOf(content: Partial<PageContent> = {}): PageContent {
  return {
    number: 1,
    box: { left: 0, bottom: 0, right: 612, top: 792 },
    rotation: 0,
    texts: [],
    paints: [],
    annotations: [],
    ...content,
  };
}

export interface Rendered extends TypesetPage {
  bytes: Uint8Array;
}

/** Sets the translations on an empty page. */
export async function render(
  items: { source: Source | TextBlock; target: InlineContent | string }[],
  {
    sourceLanguage = 'en',
    targetLanguage = 'fr',
    page = pageOf(),
    outlines = false,
  }: {
    sourceLanguage?: string;
    targetLanguage?: string;
    page?: PageContent;
    /** Whether the source boxes and the painted shapes are drawn, to inspect the result. */
    outlines?: boolean;
  } = {},
): Promise<Rendered> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const fonts = new DocumentFonts(document);
  const { left, bottom, right, top } = page.box;
  const sheet = document.addPage([right - left, top - bottom]);
  const setItems: BlockTranslation[] = items.map(({ source, target }) => ({
    block: 'box' in source ? source : blockOf(source),
    target: typeof target === 'string' ? [target] : target,
  }));
  const set = typesetPage(fitBlocks(page, setItems, { sourceLanguage, targetLanguage }), fonts);
  const frames = setItems.map(({ block: { box, matrix } }) => {
    const { left, bottom, right, top } = box;
    return `q ${matrix.join(' ')} cm 1 0.6 0.6 RG 0.3 w ${left} ${bottom} ${right - left} ${top - bottom} re S Q`;
  });
  const paints = page.paints.map(
    ({ box: { left, bottom, right, top } }) =>
      `0.8 0.8 1 RG ${left} ${bottom} ${right - left} ${top - bottom} re S`,
  );
  const content = [...(outlines ? [...frames, ...paints] : []), set.watermarks, set.operators].join('\n');
  sheet.node.set(PDFName.of('Contents'), document.context.register(document.context.flateStream(content)));
  for (const [name, ref] of set.fonts) sheet.node.setFontDictionary(PDFName.of(name), ref);
  fonts.embed();
  return { ...set, bytes: await document.save({ addDefaultPage: false }) };
}
