import {
  allOf,
  attribute,
  childOf,
  childrenOf,
  type Element,
  isStory,
  parse,
  partsOf,
  textOf,
  walkStory,
} from '#test/formats/docx-walk.ts';
import { describeFormats, type ShownText } from './shown-text.ts';

/** The paragraphs with letters of a Word file, in the main text, headers and footers, and its number of pages. */
export function shownParagraphs(bytes: Uint8Array): { texts: ShownText[]; pages: number } {
  const parts = partsOf(bytes);
  const styles = readStyles(parts['word/styles.xml']);
  const texts = Object.keys(parts)
    .filter(isStory)
    .flatMap((part) => walkStory(parse(parts[part]!)))
    .filter(({ text }) => /\p{L}/u.test(text))
    .map(({ element, runs }): ShownText => {
      const linked = new Set(allOf(element, 'hyperlink').flatMap((link) => allOf(link, 'r')));
      const ofParagraph = attributeOf(childOf(element, 'pPr'), 'pStyle');
      const pieces = [...new Set(runs)].map((run) => ({
        text: allOf(run, 't').map(textOf).join(''),
        format: describe(styles, ofParagraph, run, linked.has(run)),
      }));
      return { text: pieces.map(({ text }) => text).join(''), formats: describeFormats(pieces) };
    });
  const pages = Number(/<Pages>(\d+)/.exec(parts['docProps/app.xml'] ?? '')?.[1] ?? 0);
  return { texts, pages };
}

/** The formats that are compared. The default color may be missing or `auto`. */
interface Format {
  b?: boolean;
  i?: boolean;
  u?: string;
  color?: string;
  sz?: string;
  vertAlign?: string;
}

interface Styles {
  base: Format;
  /** The style of paragraphs that name none. */
  standard: string | undefined;
  byId: ReadonlyMap<string, { basedOn: string | undefined; format: Format }>;
}

function readStyles(xml: string | undefined): Styles {
  if (!xml) return { base: {}, standard: undefined, byId: new Map() };
  const root = parse(xml);
  const defaults = childOf(childOf(childOf(root, 'docDefaults'), 'rPrDefault'), 'rPr');
  const styles = allOf(root, 'style');
  const standard = styles.find(
    (style) => attribute(style, 'type') === 'paragraph' && attribute(style, 'default') === '1',
  );
  const byId = new Map(
    styles.map((style) => [
      attribute(style, 'styleId')!,
      { basedOn: attributeOf(style, 'basedOn'), format: formatOf(childOf(style, 'rPr')) },
    ]),
  );
  return { base: formatOf(defaults), standard: standard && attribute(standard, 'styleId'), byId };
}

const attributeOf = (parent: Element | undefined, name: string): string | undefined => {
  const child = childOf(parent, name);
  return child && attribute(child, 'val');
};

function formatOf(properties: Element | undefined): Format {
  const format: Format = {};
  for (const child of properties ? childrenOf(properties) : []) {
    const value = attribute(child, 'val');
    if (child.name === 'b' || child.name === 'i') format[child.name] = !/^(0|false|off)$/.test(value ?? '');
    if (child.name === 'u' || child.name === 'color' || child.name === 'sz' || child.name === 'vertAlign')
      format[child.name] = value?.toLowerCase() ?? '';
  }
  return format;
}

function inherited({ byId }: Styles, id: string | undefined): Format {
  const chain: Format[] = [];
  const seen = new Set<string>();
  for (let next = id; next && !seen.has(next); next = byId.get(next)?.basedOn) {
    seen.add(next);
    chain.unshift(byId.get(next)?.format ?? {});
  }
  return Object.assign({}, ...chain);
}

function describe(styles: Styles, paragraph: string | undefined, run: Element, isLink: boolean): string {
  const properties = childOf(run, 'rPr');
  const { b, i, u, color, sz, vertAlign }: Format = {
    ...styles.base,
    ...inherited(styles, paragraph ?? styles.standard),
    ...inherited(styles, attributeOf(properties, 'rStyle')),
    ...formatOf(properties),
  };
  const described = [b && 'bold', i && 'italic', u && u !== 'none' && 'underlined'];
  if (color && color !== 'auto' && color !== '000000') described.push(color);
  described.push(sz ?? '20', vertAlign !== 'baseline' && vertAlign, isLink && 'link');
  return described.filter(Boolean).join(' ');
}
