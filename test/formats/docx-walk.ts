import { unzipSync } from 'fflate';

/** An element of a small DOM. The tests read it with a regular expression, and not with the engine's parser. */
export interface Element {
  /** The name: such as `p` for Word's elements; in other namespaces, with the prefix. */
  name: string;
  /** As written. */
  tag: string;
  children: (Element | string)[];
}

/** The parts of a package, as text. */
export function partsOf(bytes: Uint8Array): Record<string, string> {
  const files = unzipSync(bytes);
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('utf8')]),
  );
}

const markup =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/[^>]*>|<([^\s/>]+)((?:"[^"]*"|'[^']*'|[^'">])*?)(\/?)>|([^<]+)/g;

/** Parses a document in which Word's elements have the prefix `w`. */
export function parse(xml: string): Element {
  const root: Element = { name: '', tag: '', children: [] };
  const open = [root];
  for (const [tag, cdata, name, , closing, text] of xml.matchAll(markup)) {
    const parent = open.at(-1)!;
    if (cdata !== undefined) parent.children.push(cdata);
    else if (text !== undefined) parent.children.push(unescapeXml(text));
    else if (name !== undefined) {
      const element: Element = { name: name.replace(/^w:/, ''), tag, children: [] };
      parent.children.push(element);
      if (closing !== '/') open.push(element);
    } else if (tag.startsWith('</')) open.pop();
  }
  return root.children.find((child) => typeof child !== 'string')!;
}

function unescapeXml(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

export const attribute = ({ tag }: Element, name: string): string | undefined =>
  new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*["']([^"']*)`).exec(tag)?.[1];
export const childrenOf = ({ children }: Element): Element[] =>
  children.filter((child) => typeof child !== 'string');
export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element && childrenOf(element).find((child) => child.name === name);
export const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
export const allOf = (element: Element, name: string): Element[] =>
  childrenOf(element).flatMap((child) => [...(child.name === name ? [child] : []), ...allOf(child, name)]);

/** A paragraph that may change in a translation. */
export interface WalkedParagraph {
  element: Element;
  /**
   * The text to translate. Elements between characters become tabs and line feeds, and hyphens become plain hyphens.
   */
  text: string;
  /** The runs that contain the text. */
  runs: Element[];
  /** Runs whose text is not translated: it is in the code or the live result of a field, or is hidden. */
  fieldRuns: Element[];
  hiddenRuns: Element[];
}

/** Fields whose results a reader sees as text of the document. Only those that occur in the corpus. */
const textFields = /^\s*(REF|HYPERLINK|TOC|INCLUDEPICTURE|STYLEREF|TITLE|SUBJECT|QUOTE|LINK|EMBED|ADDIN)\b/i;
const blocks = new Set(['body', 'tbl', 'tr', 'tc', 'customXml']);
const transparent = new Set(['hyperlink', 'smartTag', 'customXml', 'dir', 'bdo']);
const breaks: Record<string, string> = {
  br: '\n',
  cr: '\n',
  tab: '\t',
  ptab: '\t',
  noBreakHyphen: '-',
  softHyphen: '',
};

/** The paragraphs of a part that may contain text to translate, in order. Paragraphs without text are included. */
export function walkStory(root: Element, areFieldsKept = root.name !== 'document'): WalkedParagraph[] {
  const paragraphs: WalkedParagraph[] = [];
  const fields: { code: string; isResult: boolean }[] = [];
  const isKept = (): boolean =>
    fields.some(({ code, isResult }) => areFieldsKept || !isResult || !textFields.test(code));
  const walkRun = (run: Element, paragraph: WalkedParagraph): void => {
    const vanish = childOf(childOf(run, 'rPr'), 'vanish');
    const isHidden = vanish !== undefined && !/^(0|false|off)$/.test(attribute(vanish, 'val') ?? '');
    for (const child of childrenOf(run)) {
      if (child.name === 'fldChar') {
        const type = attribute(child, 'fldCharType');
        if (type === 'begin') fields.push({ code: '', isResult: false });
        if (type === 'separate') fields.at(-1)!.isResult = true;
        if (type === 'end') fields.pop();
      } else if (child.name === 'instrText' && fields.length > 0) fields.at(-1)!.code += textOf(child);
      if (isKept()) paragraph.fieldRuns.push(run);
      else if (isHidden) paragraph.hiddenRuns.push(run);
      if (isHidden || isKept()) continue;
      if (child.name in breaks) paragraph.text += breaks[child.name];
      if (child.name === 't') paragraph.text += shownText(child);
      if (child.name === 'ruby')
        paragraph.text += allOf(childOf(child, 'rubyBase')!, 't').map(shownText).join('');
      if (child.name === 't' || child.name === 'ruby') paragraph.runs.push(run);
    }
  };
  const walkInline = (parent: Element, paragraph: WalkedParagraph): void => {
    for (const child of childrenOf(parent)) {
      if (child.name === 'r') walkRun(child, paragraph);
      else if (transparent.has(child.name)) walkInline(child, paragraph);
      else if (child.name === 'fldSimple' && !areFieldsKept && textFields.test(attribute(child, 'instr')!))
        walkInline(child, paragraph);
    }
  };
  const walkBlock = (parent: Element): void => {
    for (const child of childrenOf(parent)) {
      if (blocks.has(child.name)) walkBlock(child);
      // A table of contents is translated, although it is in a content control.
      if (child.name === 'sdt' && isContents(child)) walkBlock(childOf(child, 'sdtContent')!);
      if (child.name !== 'p') continue;
      const paragraph: WalkedParagraph = {
        element: child,
        text: '',
        runs: [],
        fieldRuns: [],
        hiddenRuns: [],
      };
      walkInline(child, paragraph);
      paragraphs.push(paragraph);
    }
  };
  walkBlock(root);
  return paragraphs;
}

const isContents = (control: Element): boolean =>
  allOf(control, 'docPartGallery').some((one) => attribute(one, 'val') === 'Table of Contents');

function shownText(element: Element): string {
  const text = textOf(element);
  const isPreserved = /xml:space\s*=\s*["']preserve/.test(element.tag);
  return (isPreserved ? text : text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''))
    .replace(/[\t\n\r]/g, ' ')
    .replaceAll('\u00ad', '')
    .replaceAll('\u2011', '-');
}

/** Whether texts of a part are translated: main text, headers, footers. */
export const isStory = (path: string): boolean => /^word\/(document|header\d*|footer\d*)\.xml$/.test(path);

/**
 * Elements that may change: runs are joined, and marks of spelling and smart tags are removed. All other tags stay in
 * order.
 */
const mayChange = new Set([
  'r',
  't',
  'proofErr',
  'smartTag',
  'smartTagPr',
  'attr',
  'softHyphen',
  'noBreakHyphen',
]);

/** The words of form fields and the tips of links, which are translated. */
const words = /(?<=^<w:(?:helpText|statusText|listEntry|default)\b.*) w:val="[^"]*"| w:tooltip="[^"]*"/;

/** The start tags of everything that a translation must not change, and the texts that must stay. */
export function keptContent(element: Element): string[] {
  const found: string[] = [];
  const walk = (at: Element, inRun: boolean): void => {
    for (const child of at.children) {
      if (typeof child === 'string') {
        if (!inRun && child.trim() !== '') found.push(child);
        continue;
      }
      if ((inRun && child.name === 'rPr') || child.name === 'ruby') continue;
      if (!mayChange.has(child.name)) found.push(child.tag.replace(words, '').replace(/\s*\/?>$/, ''));
      walk(child, child.name === 'r' || (inRun && child.name === 't'));
    }
  };
  walk(element, false);
  return found;
}

/** The properties of a run as written, without the language, because a translation changes the language. */
export const formattingOf = (run: Element): string =>
  serialize(childOf(run, 'rPr'))
    .replace(/<w:lang\b[^>]*>/g, '')
    .replace(/^<w:rPr\/?>$/, '');

/** An element without its text, for comparing properties. */
export const serialize = (element: Element | undefined): string =>
  element ? element.tag + childrenOf(element).map(serialize).join('') : '';

/** The words of a Word file's main text that are missing after LibreOffice has saved it as `fodt`. */
export function wordsNotShown(bytes: Uint8Array, fodt: string): string[] {
  const shown = textOf(parse(fodt)).replace(/\s+/g, '');
  const paragraphs = walkStory(parse(partsOf(bytes)['word/document.xml']!));
  const words = paragraphs.flatMap(({ text }) => text.match(/[\p{L}\p{M}]+/gu) ?? []);
  return words.filter((word) => !shown.includes(word));
}
