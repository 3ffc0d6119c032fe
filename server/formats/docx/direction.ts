import { type Properties, type Property, parseProperties } from '../office/properties.ts';
import { type Edit, splice } from '../office/splice.ts';
import { readPositionedXml } from '../office/xml-reader.ts';
import type { DirectionChange } from '../typesetting/languages.ts';
import { isWord } from './word-xml.ts';

/** The elements that the schema of `pPr` places before `bidi`. */
const beforeBidi = new Set(
  (
    'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs ' +
    'suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN'
  ).split(' '),
);
/** The elements that the schema of `rPr` places after `rtl`, apart from elements of newer namespaces. */
const afterRtl = new Set('cs em lang eastAsianLayout specVanish oMath rPrChange'.split(' '));

/** An element that sets the direction, and its position in the schema. */
interface DirectionProperty {
  parent: 'pPr' | 'rPr';
  local: 'bidi' | 'rtl';
  /** Whether the schema places this child after the element. */
  isAfter: (child: Property) => boolean;
}

const bidi: DirectionProperty = {
  parent: 'pPr',
  local: 'bidi',
  isAfter: ({ local }) => local === undefined || !beforeBidi.has(local),
};
const rtl: DirectionProperty = {
  parent: 'rPr',
  local: 'rtl',
  isAfter: ({ local }) => local === undefined || afterRtl.has(local),
};

/**
 * Returns the XML of a `pPr` element with the new direction.
 *
 * @param properties the XML of the old `pPr`; '' if the paragraph has none
 * @param prefix the namespace prefix of Word's elements, with the colon
 * @param isInherited whether the paragraph's style makes the paragraph right-to-left
 */
export function paragraphDirection(
  properties: string,
  prefix: string,
  change: DirectionChange,
  isInherited: boolean,
): string {
  return setProperty(bidi, properties, prefix, change, isInherited);
}

/**
 * Returns the XML of an `rPr` element with the new direction, which its child `rtl` sets. Word formats right-to-left
 * text by separate complex-script properties for bold, italics and size. If the run has only the ordinary properties,
 * this function adds the complex-script ones.
 */
export function runDirection(
  properties: string,
  prefix: string,
  change: DirectionChange,
  isInherited: boolean,
): string {
  return setProperty(rtl, properties, prefix, change, isInherited);
}

function setProperty(
  { parent, local, isAfter }: DirectionProperty,
  source: string,
  outerPrefix: string,
  change: DirectionChange,
  isInherited: boolean,
): string {
  if (change === 'kept' || (change === 'ltr' && source === '' && !isInherited)) return source;
  const parsed = parseProperties(source, `${outerPrefix}${parent}`);
  const { raw, opening, name, prefix, children, endTag } = parsed;
  // The attribute `val` is in Word's namespace, so it can only be written with a prefix.
  const off = isInherited && prefix !== '' ? `<${prefix}${local} ${prefix}val="0"/>` : '';
  const written = change === 'rtl' ? `<${prefix}${local}/>` : off;
  if (endTag === undefined) return written === '' ? raw : `${opening}>${written}</${name}>`;
  const edits: Edit[] = change === 'rtl' && parent === 'rPr' ? complexScriptVariants(parsed) : [];
  const others = children.filter((child) => child.local !== local);
  for (const { local: present, start, end } of children)
    if (present === local) edits.push({ start, end, text: '' });
  const at = others.find(isAfter)?.start ?? endTag;
  if (written !== '') edits.push({ start: at, end: at, text: written });
  // At equal positions, the insertion comes before the removal.
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  return [...splice(raw, edits)].join('');
}

const complexScript: ReadonlyMap<string | undefined, string> = new Map([
  ['b', 'bCs'],
  ['i', 'iCs'],
  ['sz', 'szCs'],
]);

/**
 * Returns the edits that add the complex-script properties to every `rPr` element of a part with styles or lists. Without
 * them, the bold headings of a document would not be bold in right-to-left text.
 *
 * @throws {FileError} as `readPositionedXml` does
 */
export function complexScriptEdits(source: string): Edit[] {
  const edits: Edit[] = [];
  let open: { start: number; name: string } | undefined;
  readPositionedXml(source, {
    openTag: (tag) => {
      if (tag.local === 'rPr' && isWord(tag)) open = tag;
    },
    closeTag: ({ local, end }) => {
      if (local !== 'rPr' || !open) return;
      const { start, name } = open;
      open = undefined;
      for (const edit of complexScriptVariants(parseProperties(source.slice(start, end), name)))
        edits.push({ start: start + edit.start, end: start + edit.end, text: edit.text });
    },
  });
  return edits;
}

function complexScriptVariants({ raw, prefix, children }: Properties): Edit[] {
  const present = new Set(children.map(({ local }) => local));
  return children.flatMap(({ local, start, end }): Edit[] => {
    const variant = complexScript.get(local);
    if (variant === undefined || present.has(variant)) return [];
    const text = raw
      .slice(start, end)
      .replaceAll(new RegExp(`(</?)${prefix}${local}\\b`, 'g'), `$1${prefix}${variant}`);
    return [{ start: end, end, text }];
  });
}
