import { type Property, parseProperties } from '../office/properties.ts';
import { type Edit, splice } from '../office/splice.ts';
import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import { isWord } from './word-xml.ts';

/** A paragraph of a Word file with its translation. */
interface TranslatedParagraph {
  /** The XML between the tags of the paragraph. */
  source: string;
  /** The XML of the source's `pPr` element; '' if missing. */
  properties: string;
  /** The XML of the translation's `pPr` element and of its content. */
  translatedProperties: string;
  translation: string;
  /** The namespace prefix of Word's elements, with the colon. */
  prefix: string;
  /** Whether insertions are translated. Otherwise they are left out of the translation, like deletions. */
  hasInsertions: boolean;
}

/**
 * Returns the edits, relative to the source, that add the translation as a paragraph below the source. The new
 * paragraph has the formatting of the source, but no number, no picture and no note, which would occur twice. Breaks at
 * the end of the source move to the end of the translation, which would otherwise be on another page than its source.
 */
export function addBelow(paragraph: TranslatedParagraph): Edit[] {
  const { source, properties, translatedProperties, translation, prefix, hasInsertions } = paragraph;
  const edits: Edit[] = [];
  const section = sectionOf(properties, prefix);
  const at = section ? source.indexOf(properties) : -1;
  // The end of a section moves to the translation, which would otherwise be on the first page of the next section.
  if (section && at >= 0) edits.push({ start: at + section.start, end: at + section.end, text: '' });
  const breaks = breaksAtEnd(source);
  const copiedBreaks = breaksAtEnd(translation);
  const areMoved = breaks.length === copiedBreaks.length;
  if (areMoved) edits.push(...breaks);
  const keptBreaks = new Set(areMoved ? copiedBreaks.map(({ start }) => start) : []);
  const below =
    copiedProperties(translatedProperties, prefix) +
    withoutUniqueContent(translation, hasInsertions, keptBreaks);
  edits.push({
    start: source.length,
    end: source.length,
    text: `</${prefix}p><${prefix}p>${below}`,
  });
  return edits;
}

/** An exact height in the tag of a table row's height or of a frame. */
const exactHeight = /(?<=\bhRule\s*=\s*["'])exact(?=["'])/;

/** Returns the edits of a story that let rows and frames of an exact height grow, because they get a second text. */
export function growingHeights(source: string): Edit[] {
  const edits: Edit[] = [];
  readPositionedXml(source, {
    openTag: (tag) => {
      if ((tag.local !== 'trHeight' && tag.local !== 'framePr') || !isWord(tag)) return;
      const found = exactHeight.exec(source.slice(tag.start, tag.end));
      if (!found) return;
      const start = tag.start + found.index;
      edits.push({ start, end: start + found[0].length, text: 'atLeast' });
    },
  });
  return edits;
}

function sectionOf(properties: string, prefix: string): Property | undefined {
  if (properties === '') return undefined;
  return parseProperties(properties, `${prefix}pPr`).children.find(({ local }) => local === 'sectPr');
}

/** The elements of a `pPr` that a copy does not have: the number, the break before the paragraph, and old properties. */
const notCopied = new Set(['numPr', 'pageBreakBefore', 'pPrChange']);
/** The elements that the schema of `pPr` places before `pageBreakBefore` and before `numPr`. */
const beforePageBreak = new Set(['pStyle', 'keepNext', 'keepLines']);
const beforeNumber = new Set([...beforePageBreak, 'pageBreakBefore', 'framePr', 'widowControl']);

/** The indent of a list level in Word's own lists, in twentieths of a point. */
const levelIndent = 720;

function copiedProperties(source: string, prefix: string): string {
  const { raw, opening, name, children } = parseProperties(source, `${prefix}pPr`);
  const xmlOf = ({ local, start, end }: Property): string => {
    const xml = raw.slice(start, end);
    return local === 'framePr' ? xml.replace(exactHeight, 'atLeast') : xml;
  };
  const kept = children.filter(({ local }) => local === undefined || !notCopied.has(local));
  const isBefore =
    (names: ReadonlySet<string>) =>
    ({ local }: Property): boolean =>
      local !== undefined && names.has(local);
  const number = children.find(({ local }) => local === 'numPr');
  const first = kept.filter(isBefore(beforePageBreak));
  const second = kept.filter((child) => isBefore(beforeNumber)(child) && !isBefore(beforePageBreak)(child));
  const rest = kept.filter((child) => !isBefore(beforeNumber)(child));
  const isFramed = children.some(({ local }) => local === 'framePr');
  // An attribute without a prefix would not be in Word's namespace.
  const off = (xml: string): string => (prefix === '' ? '' : xml);
  const written = [
    ...first.map(xmlOf),
    // LibreOffice starts a page at a frame with this element, whatever its value. Word starts none in a frame.
    isFramed ? '' : off(`<${prefix}pageBreakBefore ${prefix}val="0"/>`),
    ...second.map(xmlOf),
    off(
      `<${prefix}numPr><${prefix}ilvl ${prefix}val="0"/><${prefix}numId ${prefix}val="0"/></${prefix}numPr>`,
    ),
    ...withIndent(rest, number && xmlOf(number), prefix).map((child) =>
      typeof child === 'string' ? child : xmlOf(child),
    ),
  ];
  return `${opening}>${written.join('')}</${name}>`;
}

/** The elements that the schema of `pPr` places after `ind`. */
const afterIndent = new Set(
  (
    'contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId ' +
    'cnfStyle rPr sectPr'
  ).split(' '),
);

/** Adds the usual indent of a list item at its level. The copy has no number, which would indent it. */
function withIndent(
  children: readonly Property[],
  number: string | undefined,
  prefix: string,
): (Property | string)[] {
  if (number === undefined || prefix === '' || children.some(({ local }) => local === 'ind'))
    return [...children];
  const level = Math.min(8, Number(/\bilvl\b[^>]*val="(\d)"/.exec(number)?.[1] ?? 0));
  const indent = `<${prefix}ind ${prefix}left="${levelIndent * (level + 1)}"/>`;
  const at = children.findIndex(({ local }) => local !== undefined && afterIndent.has(local));
  return at < 0 ? [...children, indent] : [...children.slice(0, at), indent, ...children.slice(at)];
}

/** Elements that are left out of a copy with their content. */
const leftOut = new Set(
  (
    'bookmarkStart bookmarkEnd commentRangeStart commentRangeEnd commentReference footnoteReference endnoteReference ' +
    'annotationRef footnoteRef endnoteRef drawing pict object AlternateContent permStart permEnd proofErr ins del moveFrom moveTo ' +
    'moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd sdtPr sdtEndPr lastRenderedPageBreak'
  ).split(' '),
);
/** Elements whose tags are left out, but not their content. */
const unwrapped = new Set(['sdt', 'sdtContent', 'smartTag']);
const insertions = new Set(['ins', 'moveTo']);

function isPageBreak(tag: XmlStartTag): boolean {
  return tag.local === 'br' && ['page', 'column'].includes(attributeOf(tag, 'type') ?? '');
}

/** Most paragraphs have no break, so their XML is not parsed again. */
const breakTag = /[<:]br[\s/>]/;

/** Elements of a run that show nothing after a break. */
const showNothing = new Set(['rPr', 't', 'lastRenderedPageBreak']);
/** Elements between runs that show nothing. */
const betweenRuns = new Set(['r', 'pPr', 'bookmarkStart', 'bookmarkEnd', 'proofErr']);

/**
 * Returns the edits that remove the page and column breaks after which a paragraph shows nothing. A break inside of
 * another element than a run, such as a tracked change, is not one of them.
 */
function breaksAtEnd(xml: string): Edit[] {
  if (!breakTag.test(xml)) return [];
  const offset = '<x>'.length;
  const open: string[] = [];
  let breaks: Edit[] = [];
  readPositionedXml(`<x>${xml}</x>`, {
    openTag: (tag) => {
      const { local, start } = tag;
      open.push(local);
      const inRun = open.length === 3 && open[1] === 'r';
      if (inRun && isPageBreak(tag)) breaks.push({ start: start - offset, end: start - offset, text: '' });
      else if (open.length === 2 ? !betweenRuns.has(local) : inRun && !showNothing.has(local)) breaks = [];
    },
    closeTag: ({ local, end }) => {
      const depth = open.length;
      open.pop();
      const last = breaks.at(-1);
      if (local === 'br' && depth === 3 && last && last.end === last.start) last.end = end - offset;
    },
    text: (text) => {
      if (open[1] === 'r' && open[2] === 't' && text.trim() !== '') breaks = [];
    },
  });
  return breaks;
}

/**
 * Removes the content of a paragraph that may occur only once, such as bookmarks, notes and parts of fields.
 *
 * @param keptBreaks the offsets of page and column breaks that stay
 */
function withoutUniqueContent(xml: string, hasInsertions: boolean, keptBreaks: ReadonlySet<number>): string {
  const offset = '<x>'.length;
  const edits: Edit[] = [];
  const fieldParts: Edit[] = [];
  const open: { edits: Edit[] | null; tag: XmlStartTag; isUnwrapped: boolean }[] = [];
  let hidden = 0;
  let openFields = 0;
  let isBroken = false;
  readPositionedXml(`<x>${xml}</x>`, {
    openTag: (tag) => {
      const { local, start, end } = tag;
      const target = hidden > 0 ? null : targetOf(tag);
      if (local === 'fldChar') {
        openFields += { begin: 1, end: -1 }[attributeOf(tag, 'fldCharType') ?? ''] ?? 0;
        if (openFields < 0) isBroken = true;
      }
      if (target) hidden++;
      const isUnwrapped = hidden === 0 && (unwrapped.has(local) || isInsertion(tag));
      if (isUnwrapped) edits.push({ start: start - offset, end: end - offset, text: '' });
      open.push({ edits: target, tag, isUnwrapped });
    },
    closeTag: ({ start, end }) => {
      const element = open.pop()!;
      if (element.edits) {
        hidden--;
        element.edits.push({ start: element.tag.start - offset, end: end - offset, text: '' });
      }
      if (element.isUnwrapped && !element.tag.selfClosing)
        edits.push({ start: start - offset, end: end - offset, text: '' });
    },
  });
  // A field that begins or ends in another paragraph would be open or closed twice.
  const all = isBroken || openFields !== 0 ? [...edits, ...fieldParts] : edits;
  return [
    ...splice(
      xml,
      all.toSorted((one, other) => one.start - other.start),
    ),
  ].join('');

  function isInsertion({ local }: XmlStartTag): boolean {
    return hasInsertions && insertions.has(local);
  }

  function targetOf(tag: XmlStartTag): Edit[] | null {
    if (leftOut.has(tag.local) && !isInsertion(tag)) return edits;
    if (isPageBreak(tag) && !keptBreaks.has(tag.start - offset)) return edits;
    return tag.local === 'fldChar' || tag.local === 'instrText' ? fieldParts : null;
  }
}
