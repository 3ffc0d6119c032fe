import { type Edit, splice } from '../office/splice.ts';
import { readPositionedXml } from '../office/xml-reader.ts';

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

/** A child of a `pPr` or an `rPr`. */
interface Property {
  /** Its name in Word's namespace; undefined in another one. */
  local: string | undefined;
  start: number;
  end: number;
}

interface Properties {
  raw: string;
  /** The start tag of the whole, without `/>` or `>`, and its name. */
  opening: string;
  name: string;
  prefix: string;
  children: Property[];
  /** The offset of the end tag; undefined for `<w:pPr/>`. */
  endTag: number | undefined;
}

/** The declarations are outside, so the prefix of the properties themselves tells which children are Word's. */
function parseProperties(raw: string): Properties {
  const properties: Properties = { raw, opening: '', name: '', prefix: '', children: [], endTag: undefined };
  let depth = 0;
  readPositionedXml(raw, {
    openTag: ({ name, end, start, selfClosing }) => {
      depth++;
      if (depth === 1) {
        properties.name = name;
        properties.prefix = name.slice(0, name.indexOf(':') + 1);
        properties.opening = raw.slice(0, end - (selfClosing ? 2 : 1));
      } else if (depth === 2) {
        const local = name.slice(properties.prefix.length);
        const isOwn = name.startsWith(properties.prefix) && !local.includes(':');
        properties.children.push({ local: isOwn ? local : undefined, start, end });
      }
    },
    closeTag: ({ start, end }) => {
      depth--;
      if (depth === 1) properties.children.at(-1)!.end = end;
      else if (depth === 0 && start > 0) properties.endTag = start;
    },
    text: () => {},
  });
  return properties;
}

function setProperty(
  { parent, local, isBehind }: DirectionProperty,
  source: string,
  outerPrefix: string,
  change: DirectionChange,
  isInherited: boolean,
): string {
  if (change === 'kept' || (change === 'ltr' && source === '' && !isInherited)) return source;
  const parsed = parseProperties(source || `<${outerPrefix}${parent}></${outerPrefix}${parent}>`);
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
