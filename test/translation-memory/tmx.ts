/** A unit of a file that a test writes. */
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

/** A unit with its variants by language, each as its markup. */
export function unit(variants: Record<string, string>, attributes = ''): string {
  const tuvs = Object.entries(variants).map(
    ([lang, seg]) => `<tuv xml:lang="${lang}"><seg>${seg}</seg></tuv>`,
  );
  return `<tu${attributes}>${tuvs.join('')}</tu>`;
}

/** A TMX file of units, or of pairs of texts, from English into French by default. */
export function tmx(units: (Unit | [string, string])[], source = 'en', target = 'fr'): string {
  const written = units.map((one) => {
    const pair = Array.isArray(one) ? { source: one[0], target: one[1] } : one;
    const { tuid, changedate } = pair as Unit;
    const attributes = `${tuid ? ` tuid="${escaped(tuid)}"` : ''}${changedate ? ` changedate="${changedate}"` : ''}`;
    return unit({ [source]: escaped(pair.source), [target]: escaped(pair.target) }, attributes);
  });
  return tmxOf(written.join('\n'));
}

/** `count` different pairs, «one <n>» into «un <n>» with the given words. */
export const pairs = (count: number, source = 'sentence', target = 'phrase'): [string, string][] =>
  Array.from({ length: count }, (_, n) => [`one ${source} ${n}`, `une ${target} ${n}`]);

export interface ReadUnit {
  tuid: string | undefined;
  changedate: string | undefined;
  /** The first text of each language, as it is tagged in lower case. */
  variants: Map<string, string>;
}

export interface ReadTmx {
  root: Record<string, string>;
  header: Record<string, string>;
  units: ReadUnit[];
}

const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w:-]+)\s*>|<([\w:-]+)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/y;

/** Elements within a segment whose text belongs to it; that of the others is of the file it was taken from. */
const kept = new Set(['seg', 'hi']);

/** Reads a well-formed TMX file, independently of the service's reader; returns its segments without inline tags. */
export function readTmx(file: string | Uint8Array): ReadTmx {
  const text = (typeof file === 'string' ? file : decoded(file))
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
  const read: ReadTmx = { root: {}, header: {}, units: [] };
  const open: string[] = [];
  let lang = '';
  let seg: string | undefined;
  const add = (part: string) => {
    const inside = open.slice(open.indexOf('seg'));
    if (seg !== undefined && inside.every((name) => kept.has(name))) seg += part;
  };
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (!found) throw new Error(`no XML at ${at}: ${text.slice(at, at + 40)}`);
    const [, cdata, closed, opened, attributes = '', empty, chars] = found;
    if (cdata !== undefined) add(cdata);
    else if (chars !== undefined) add(unescaped(chars));
    else if (opened !== undefined) {
      const named = attributesOf(attributes);
      if (opened === 'tmx') read.root = named;
      if (opened === 'header') read.header = named;
      if (opened === 'tu')
        read.units.push({ tuid: named['tuid'], changedate: named['changedate'], variants: new Map() });
      if (opened === 'tuv') lang = (named['xml:lang'] ?? named['lang'] ?? '').toLowerCase();
      if (opened === 'seg') seg = '';
      if (empty === '') open.push(opened);
    } else if (closed !== undefined) {
      if (open.pop() !== closed) throw new Error(`${closed} closes nothing at ${at}`);
      if (closed === 'seg') {
        const { variants } = read.units.at(-1)!;
        if (!variants.has(lang)) variants.set(lang, seg ?? '');
        seg = undefined;
      }
    }
  }
  if (open.length > 0) throw new Error(`left open: ${open}`);
  return read;
}

/** Of two languages, each by the tags that stand for it: the units that have both, blank ones left out. */
export function pairsOf({ units }: ReadTmx, sources: string[], targets: string[]): Unit[] {
  return units.flatMap(({ tuid, changedate, variants }) => {
    const source = sources.map((tag) => variants.get(tag)).find((text) => text !== undefined);
    const target = targets.map((tag) => variants.get(tag)).find((text) => text !== undefined);
    if (!source?.trim() || !target?.trim()) return [];
    return [{ source, target, ...(tuid && { tuid }), ...(changedate && { changedate }) }];
  });
}

/** C 7 "Duplicates of one file": newest changedate, then the last; alike by B 8's normalised source. */
export function collapsed(units: Unit[]): Unit[] {
  const left = new Map<string, Unit>();
  for (const one of units) {
    const key = one.source.normalize('NFC').replace(/\s+/g, ' ').trim();
    const held = left.get(key);
    if (!held || (one.changedate ?? '') >= (held.changedate ?? '')) left.set(key, one);
  }
  return [...left.values()];
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

const attributesOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name = '', double, single]) => [
      name,
      unescaped(double ?? single ?? ''),
    ]),
  );

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (_, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)));
    const char = named[name];
    if (char === undefined) throw new Error(`an entity of its own: ${name}`);
    return char;
  });
