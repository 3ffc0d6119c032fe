import { SaxesParser } from 'saxes';

/** A unit of a TMX file that a test writes. */
export interface Unit {
  source: string;
  target: string;
  tuid?: string;
  changedate?: string;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A TMX file with the given body. */
export const tmxOf = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header creationtool="a test" creationtoolversion="1" segtype="sentence" o-tmf="none" adminlang="en" srclang="en" datatype="plaintext"/>
<body>
${body}
</body></tmx>`;

/** A unit with a variant for each language. Each variant is given as markup. */
export function unit(variants: Record<string, string>, attributes = ''): string {
  const tuvs = Object.entries(variants).map(
    ([lang, seg]) => `<tuv xml:lang="${lang}"><seg>${seg}</seg></tuv>`,
  );
  return `<tu${attributes}>${tuvs.join('')}</tu>`;
}

/** A TMX file of units or of pairs of texts; by default from English into French. */
export function tmx(units: (Unit | [string, string])[], source = 'en', target = 'fr'): string {
  const written = units.map((one) => {
    const pair = Array.isArray(one) ? { source: one[0], target: one[1] } : one;
    const { tuid, changedate } = pair as Unit;
    const attributes = `${tuid ? ` tuid="${escaped(tuid)}"` : ''}${changedate ? ` changedate="${changedate}"` : ''}`;
    return unit({ [source]: escaped(pair.source), [target]: escaped(pair.target) }, attributes);
  });
  return tmxOf(written.join('\n'));
}

/** `count` different pairs: «one <n>» and «un <n>», each followed by the given word. */
export const pairs = (count: number, source = 'sentence', target = 'phrase'): [string, string][] =>
  Array.from({ length: count }, (_, n) => [`one ${source} ${n}`, `une ${target} ${n}`]);

export interface ReadUnit {
  tuid: string | undefined;
  changedate: string | undefined;
  /** The text of each language, by its tag in lower case. */
  variants: Map<string, string>;
}

export interface ReadTmx {
  root: Record<string, string>;
  header: Record<string, string>;
  units: ReadUnit[];
}

/**
 * Elements within a segment whose content is part of the text. The content of all other elements belongs to the
 * original file.
 */
const kept = new Set(['seg', 'hi']);

/** Reads a TMX file without using the service's reader. Returns its segments without inline tags. */
export function readTmx(file: string | Uint8Array): ReadTmx {
  const read: ReadTmx = { root: {}, header: {}, units: [] };
  const open: string[] = [];
  let lang = '';
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    open.push(name);
    const { tuid, changedate } = attributes;
    if (name === 'tmx') read.root = attributes;
    if (name === 'header') read.header = attributes;
    if (name === 'tu') read.units.push({ tuid, changedate, variants: new Map() });
    if (name === 'tuv') lang = (attributes['xml:lang'] ?? attributes['lang'] ?? '').toLowerCase();
    if (name === 'seg') add('');
  });
  const add = (text: string) => {
    const at = open.indexOf('seg');
    if (at < 0 || !open.slice(at).every((name) => kept.has(name))) return;
    const { variants } = read.units.at(-1)!;
    variants.set(lang, (variants.get(lang) ?? '') + text);
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  parser.write(typeof file === 'string' ? file : decoded(file)).close();
  return read;
}

/**
 * The units that have both languages and are not blank. Each language is given by the tags that are read as this
 * language.
 */
export function pairsOf({ units }: ReadTmx, sources: string[], targets: string[]): Unit[] {
  return units.flatMap(({ tuid, changedate, variants }) => {
    const source = sources.map((tag) => variants.get(tag)).find((text) => text !== undefined);
    const target = targets.map((tag) => variants.get(tag)).find((text) => text !== undefined);
    if (!source?.trim() || !target?.trim()) return [];
    return [{ source, target, ...(tuid && { tuid }), ...(changedate && { changedate }) }];
  });
}

/**
 * Keeps, of the units with the same normalized source, those with the latest changedate: each translation once, as the
 * last unit has it.
 */
export function collapsed(units: Unit[]): Unit[] {
  const sourceOf = ({ source }: Unit) => source.normalize('NFC').replace(/\s+/g, ' ').trim();
  const dateOf = ({ changedate = '' }: Unit) => changedate;
  return units.filter((one, at) => {
    const others = units.filter((other) => sourceOf(other) === sourceOf(one));
    const later = units
      .slice(at + 1)
      .filter((other) => others.includes(other) && other.target === one.target);
    return (
      others.every((other) => dateOf(other) <= dateOf(one)) &&
      later.every((other) => dateOf(other) < dateOf(one))
    );
  });
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}
