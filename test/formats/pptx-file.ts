import type { Finding, RebuildOptions, Segment } from '#server/formats/document.ts';
import { formatTagged, parseTagged } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pptx.ts';
import { partsOf } from './docx-walk.ts';
import { zipOf } from './flatten-zip.ts';

const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const namespaces = [
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  `xmlns:r="${officeTypes}"`,
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"',
  'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"',
  'xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram"',
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"',
].join(' ');

export const run = (text: string, properties = ''): string =>
  `<a:r><a:rPr lang="en-US"${properties}/><a:t>${text}</a:t></a:r>`;
/** A run as the engine writes it, with the language of the translation. */
export const written = (text: string, properties = '', lang = 'fr-FR'): string =>
  `<a:r><a:rPr lang="${lang}"${properties}/><a:t>${text}</a:t></a:r>`;
export const link = (text: string): string =>
  `<a:r><a:rPr lang="en-US"><a:hlinkClick r:id="rId9"/></a:rPr><a:t>${text}</a:t></a:r>`;
export const paragraph = (...content: string[]): string => `<a:p>${content.join('')}</a:p>`;
export const body = (paragraphs: string, properties = '<a:bodyPr/>', name = 'p:txBody'): string =>
  `<${name}>${properties}<a:lstStyle/>${paragraphs}</${name}>`;

interface ShapeOptions {
  /** The attributes of the placeholder. */
  placeholder?: string;
  bodyProperties?: string;
  /** The place and the size in points. */
  frame?: readonly [x: number, y: number, width: number, height: number];
  hidden?: boolean;
}

const emus = (points: number): number => points * 12_700;

/** A shape with these paragraphs. */
export function shape(
  paragraphs: string,
  { placeholder, bodyProperties, frame, hidden }: ShapeOptions = {},
): string {
  const [x, y, width, height] = (frame ?? [0, 0, 0, 0]).map(emus);
  const place = `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>`;
  const role = placeholder === undefined ? '' : `<p:ph ${placeholder}/>`;
  return (
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"${hidden ? ' hidden="1"' : ''}/><p:cNvSpPr/><p:nvPr>${role}</p:nvPr></p:nvSpPr>` +
    `<p:spPr>${frame ? place : ''}</p:spPr>${body(paragraphs, bodyProperties)}</p:sp>`
  );
}

/** A part to which a slide refers: its path in `ppt/`, the type of the relationship and the XML. */
export type Related = [path: string, type: string, xml: string, ...related: Related[]];

export interface Slide {
  /** The XML of the shapes. */
  shapes: string;
  hidden?: boolean;
  related?: Related[];
}

export interface Deck {
  slides: Slide[];
  /** The XML of the shapes of the layout and of the master, and the text styles of the master. */
  layout?: string;
  master?: string;
  styles?: string;
}

/** The root element of a part, with all namespaces. */
export const root = (name: string, content: string, attributes = ''): string =>
  `<${name} ${namespaces}${attributes}>${content}</${name}>`;

const tree = (shapes: string): string => `<p:cSld><p:spTree>${shapes}</p:spTree></p:cSld>`;

/** The files of a presentation. */
export function deckFiles({ slides, layout = '', master = '', styles = '' }: Deck): Record<string, string> {
  const files: Record<string, string> = {};
  const relate = (path: string, targets: readonly (readonly [path: string, type: string])[]): void => {
    const relations = targets.map(
      ([target, type], index) =>
        `<Relationship Id="rId${index + 1}" Type="${officeTypes}/${type}" Target="/ppt/${target}"/>`,
    );
    const slash = path.lastIndexOf('/') + 1;
    files[`${path.slice(0, slash)}_rels/${path.slice(slash)}.rels`] =
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relations.join('')}</Relationships>`;
  };
  const add = (path: string, xml: string, related: readonly Related[]): void => {
    files[`ppt/${path}`] = xml;
    if (related.length > 0)
      relate(
        `ppt/${path}`,
        related.map(([target, type]) => [target, type] as const),
      );
    for (const [target, , content, ...inner] of related) add(target, content, inner);
  };
  relate('', [['presentation.xml', 'officeDocument']]);
  const names = slides.map((_, index) => `slides/slide${index + 1}.xml`);
  const ids = names.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`);
  files['ppt/presentation.xml'] = root(
    'p:presentation',
    `<p:sldIdLst>${ids.join('')}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>`,
  );
  relate('ppt/presentation.xml', [
    ...names.map((name) => [name, 'slide'] as const),
    ['slideMasters/slideMaster1.xml', 'slideMaster'],
  ]);
  for (const [index, { shapes, hidden, related = [] }] of slides.entries()) {
    const xml = root('p:sld', tree(shapes), hidden ? ' show="0"' : '');
    add(names[index]!, xml, [['slideLayouts/slideLayout1.xml', 'slideLayout', ''], ...related]);
  }
  const layoutXml = root('p:sldLayout', tree(layout));
  const masterXml = root('p:sldMaster', `${tree(master)}<p:txStyles>${styles}</p:txStyles>`);
  add('slideLayouts/slideLayout1.xml', layoutXml, []);
  relate('ppt/slideLayouts/slideLayout1.xml', [['slideMasters/slideMaster1.xml', 'slideMaster']]);
  add('slideMasters/slideMaster1.xml', masterXml, []);
  relate('ppt/slideMasters/slideMaster1.xml', [['slideLayouts/slideLayout1.xml', 'slideLayout']]);
  return files;
}

export const deckOf = (deck: Deck): Uint8Array => zipOf(deckFiles(deck));
/** A presentation of one slide with these shapes. */
export const slideOf = (shapes: string, ...related: Related[]): Deck => ({ slides: [{ shapes, related }] });

export interface Read {
  /** The texts of the segments with their keys, as sent to a model. */
  texts: string[];
  segments: Segment[];
  messages: string[];
  /** The receipt: `class reason characters`. */
  kept: string[];
  unaccounted: number | undefined;
}

export async function read(deck: Deck, selection: Parameters<typeof extract>[1] = {}): Promise<Read> {
  const { segments, findings, outcome } = await extract(deckOf(deck), selection);
  return {
    texts: segments.map(({ regionId, cellId, source }) =>
      [regionId, ...(cellId ? [cellId] : []), formatTagged(source)].join(' '),
    ),
    segments,
    messages: findings.map(({ message }) => message),
    kept: outcome!.kept.map((kept) => `${kept.class} ${kept.reason} ${kept.characters}`),
    unaccounted: outcome?.unaccounted,
  };
}

interface TranslateOptions extends Pick<RebuildOptions, 'include' | 'pages'> {
  from?: string;
  to?: string;
}

/**
 * Translates a presentation with one reply for each segment, in order.
 *
 * @param replies with tags in the form of `read`
 * @returns the parts with their new XML, and the XML inside of the tree of shapes of the first slide
 */
export async function translate(
  deck: Deck,
  replies: readonly string[],
  { from = 'en', to = 'fr', include, pages }: TranslateOptions = {},
): Promise<{ parts: Record<string, string>; shapes: string; findings: Finding[] }> {
  const bytes = deckOf(deck);
  const { segments } = await extract(bytes, { include, pages });
  if (segments.length !== replies.length)
    throw new Error(`${segments.length} segments: ${segments.map(({ source }) => formatTagged(source))}`);
  const translations = segments.map(({ regionId, cellId, source }, index) => {
    const target = parseTagged(replies[index]!, source);
    if (!target) throw new Error(`the reply lacks a tag of ${formatTagged(source)}`);
    return { regionId, cellId, target };
  });
  const rebuilt = await rebuild(bytes, translations, {
    ...{ sourceLanguage: from, targetLanguage: to, include, pages },
  });
  const parts = partsOf(rebuilt.bytes);
  const shapes = /<p:spTree>(.*)<\/p:spTree>/s.exec(parts['ppt/slides/slide1.xml']!)![1]!;
  return { parts, shapes, findings: rebuilt.findings };
}
