import { type Edit, splice } from '../office/splice.ts';
import { type Properties, type Property, parseProperties } from './properties.ts';

/**
 * How a translation changes the direction of its paragraphs: `rtl` sets it, `ltr` removes it, `kept` leaves it unchanged.
 * `kept` applies if source and target have the same direction; it also keeps the direction of single words.
 */
export type DirectionChange = 'rtl' | 'ltr' | 'kept';

/** The elements before `bidi` in a `pPr`, by the schema. */
const beforeBidi = new Set(
  (
    'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs ' +
    'suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN'
  ).split(' '),
);
/** The elements after `rtl` in an `rPr`, apart from elements of newer namespaces. */
const afterRtl = new Set('cs em lang eastAsianLayout specVanish oMath rPrChange'.split(' '));

/** A property of direction, and its position in the schema. */
interface DirectionProperty {
  parent: 'pPr' | 'rPr';
  local: 'bidi' | 'rtl';
  /** Whether the schema has a child after it. */
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
 * Returns a `pPr` with the new direction.
 *
 * @param properties as written; '' if the paragraph has none
 * @param prefix of Word's elements, with the colon
 * @param isInherited whether the paragraph's style makes it right-to-left
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
 * Returns an `rPr` with the new direction in its `rtl`. Word formats right-to-left text by the complex-script variants of bold,
 * italics and size, so these are added if only the ordinary ones are set.
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
  // An attribute in Word's namespace needs a prefix.
  const off = isInherited && prefix !== '' ? `<${prefix}${local} ${prefix}val="0"/>` : '';
  const written = change === 'rtl' ? `<${prefix}${local}/>` : off;
  if (endTag === undefined) return written === '' ? raw : `${opening}>${written}</${name}>`;
  const edits: Edit[] = change === 'rtl' && parent === 'rPr' ? complexScriptVariants(parsed) : [];
  const others = children.filter((child) => child.local !== local);
  for (const { local: present, start, end } of children)
    if (present === local) edits.push({ start, end, text: '' });
  const at = others.find(isAfter)?.start ?? endTag;
  if (written !== '') edits.push({ start: at, end: at, text: written });
  // An insertion comes before a removal that starts at the same position.
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
