import { type Edit, splice } from '../office/splice.ts';
import { type Properties, type Property, parseProperties } from './properties.ts';

/**
 * What a translation does to the direction of its paragraphs: `rtl` sets it, `ltr` takes it away, `kept` leaves it. A file
 * that is not translated between the two directions keeps even what it says of single words.
 */
export type DirectionChange = 'rtl' | 'ltr' | 'kept';

/** The schema's order: what stands before `bidi` in a `pPr`. */
const beforeBidi = new Set(
  (
    'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs ' +
    'suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN'
  ).split(' '),
);
/** What stands behind `rtl` in an `rPr`, besides elements of newer namespaces. */
const afterRtl = new Set('cs em lang eastAsianLayout specVanish oMath rPrChange'.split(' '));

/** What a property of direction is, and where it stands. */
interface DirectionProperty {
  parent: 'pPr' | 'rPr';
  local: 'bidi' | 'rtl';
  /** Whether the schema has a child behind it. */
  isBehind: (child: Property) => boolean;
}

const bidi: DirectionProperty = {
  parent: 'pPr',
  local: 'bidi',
  isBehind: ({ local }) => local === undefined || !beforeBidi.has(local),
};
const rtl: DirectionProperty = {
  parent: 'rPr',
  local: 'rtl',
  isBehind: ({ local }) => local === undefined || afterRtl.has(local),
};

/**
 * Returns a `pPr` for the direction.
 *
 * @param properties as written; '' if the paragraph has none
 * @param prefix of Word's elements, with the colon
 * @param isInherited whether the paragraph's style turns it right to left
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
 * The same for an `rPr` and its `rtl`. Word formats right-to-left text by the complex-script variants of bold, italics and
 * size, so these are added where only the others are set.
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
  { parent, local, isBehind }: DirectionProperty,
  source: string,
  outerPrefix: string,
  change: DirectionChange,
  isInherited: boolean,
): string {
  if (change === 'kept' || (change === 'ltr' && source === '' && !isInherited)) return source;
  const parsed = parseProperties(source, `${outerPrefix}${parent}`);
  const { raw, opening, name, prefix, children, endTag } = parsed;
  // An attribute of Word's needs a prefix.
  const off = isInherited && prefix !== '' ? `<${prefix}${local} ${prefix}val="0"/>` : '';
  const written = change === 'rtl' ? `<${prefix}${local}/>` : off;
  if (endTag === undefined) return written === '' ? raw : `${opening}>${written}</${name}>`;
  const edits: Edit[] = change === 'rtl' && parent === 'rPr' ? complexScriptVariants(parsed) : [];
  const others = children.filter((child) => child.local !== local);
  for (const { local: present, start, end } of children)
    if (present === local) edits.push({ start, end, text: '' });
  const at = others.find(isBehind)?.start ?? endTag;
  if (written !== '') edits.push({ start: at, end: at, text: written });
  // An insertion comes before a removal that begins at the same place.
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  return [...splice(raw, edits)].join('');
}

const complexScript: ReadonlyMap<string | undefined, string> = new Map([
  ['b', 'bCs'],
  ['i', 'iCs'],
  ['sz', 'szCs'],
]);

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
