import type { Found, Range } from './found.ts';

// Neither a name nor a value may contain `<`, so matching stops at the next `<` at the latest.
const tag =
  /<(\/?)([A-Za-z][\w:.-]{0,60}|\d{1,3})((?:\s+[A-Za-z_:@*#][\w:.@-]{0,60}(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=`]+))?)*)\s*(\/?)>/g;
const attribute = /([A-Za-z_:@*#][\w:.@-]{0,60})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/g;
const declaration = /<!doctype[^<>]*>/gi;
const comment = /<!--[^<]*-->/g;

const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
const endTagOptional = new Set('p li dt dd td th tr'.split(' '));
const elements = new Set(
  `a abbr address article aside audio b bdi bdo big blockquote body button canvas caption center cite code data
  datalist del details dfn dialog div dl em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header
  html i iframe ins kbd label legend main map mark menu meter nav object ol optgroup option output picture pre progress q rp
  rt ruby s samp section select slot small span strike strong style sub summary sup svg table tbody template textarea tfoot thead time
  title tt u ul var video`.split(/\s+/),
);

/** Attributes whose values are translated or depend on the language. */
const translated = new Set([
  'title',
  'alt',
  'placeholder',
  'aria-label',
  'lang',
  'xml:lang',
  'hreflang',
  'dir',
]);

export interface Markup {
  /** Names of the tags. */
  names: Set<string>;
  /** Tags, identified by name and kind. */
  tags: Found[];
  /** Attributes with their values, each with its element; without translatable attributes. */
  attributes: Found[];
  /** `<file>` and the like: names of values that the user of a command enters. */
  words: Found[];
  /** Upper bound of the number of `words`. */
  wordStarts: number;
  /** All tags, comments and declarations, without translatable attribute values. */
  ranges: Range[];
}

interface Tag extends Range {
  closing: boolean;
  selfClosing: boolean;
  name: string;
  attributes: Found[];
  /** Translatable attribute values. */
  texts: Range[];
  span: string;
}

const piece = (key: string, span: string, start: number): Found => ({
  key,
  span,
  start,
  end: start + span.length,
});

function attributesOf(element: string, text: string, offset: number): Pick<Tag, 'attributes' | 'texts'> {
  const found: Found[] = [];
  const texts: Range[] = [];
  for (const match of text.matchAll(attribute)) {
    const name = match[1]!.toLowerCase();
    const value = match[2] ?? match[3] ?? match[4];
    const start = offset + match.index;
    // A translatable attribute must exist, but may have any value. A name with a space is a title, as in the help of
    // LibreOffice.
    const isTranslated = translated.has(name) || (name === 'name' && /\s/.test(value ?? ''));
    const key = isTranslated || value === undefined ? `${element} ${name}` : `${element} ${name}=${value}`;
    found.push(piece(key, match[0], start));
    if (!isTranslated || !value) continue;
    const end = start + match[0].length - (match[4] === undefined ? 1 : 0);
    texts.push({ start: end - value.length, end });
  }
  return { attributes: found, texts };
}

/** The ranges of a tag without its translatable attribute values. */
function withoutTexts({ start, end, texts }: Tag): Range[] {
  const bounds = [start, ...texts.flatMap((text) => [text.start, text.end]), end];
  return bounds.flatMap((from, i) => (i % 2 === 0 ? [{ start: from, end: bounds[i + 1]! }] : []));
}

function everyTag(text: string): Tag[] {
  return [...text.matchAll(tag)].map((match) => {
    const written = match[2]!;
    const lower = written.toLowerCase();
    const name =
      elements.has(lower) || endTagOptional.has(lower) || voidElements.has(lower) ? lower : written;
    const offset = match.index + 1 + match[1]!.length + written.length;
    return {
      closing: match[1] === '/',
      selfClosing: match[4] === '/',
      name,
      ...attributesOf(name, match[3]!, offset),
      span: match[0],
      start: match.index,
      end: match.index + match[0].length,
    };
  });
}

/**
 * Finds the markup of a plain text. `a < b`, `List<String>` and the `<file>` of a command's usage are not markup: an
 * unknown name is a tag only if it is closed; a known name is a tag only if it is closed, is void, or has an attribute
 * with a value.
 * @param source if `text` is a translation, the markup of its source: a tag of the source is also a tag in the
 *   translation, even if it is not closed
 */
export function findMarkup(text: string, source?: Markup): Markup {
  if (!text.includes('<'))
    return { names: new Set(), tags: [], attributes: [], words: [], wordStarts: 0, ranges: [] };
  const all = everyTag(text);
  const opened = new Set(all.filter(({ closing }) => !closing).map(({ name }) => name));
  const closed = new Set(all.filter(({ closing }) => closing).map(({ name }) => name));
  const isTag = ({ closing, selfClosing, name, attributes }: Tag): boolean => {
    if (source?.names.has(name)) return true;
    if (closing) return elements.has(name) || endTagOptional.has(name) || opened.has(name);
    if (closed.has(name) || selfClosing || endTagOptional.has(name)) return true;
    const valued = attributes.some(({ span }) => span.includes('='));
    if (voidElements.has(name)) return valued || name === 'br' || name === 'hr' || name === 'wbr';
    return valued && elements.has(name);
  };
  const real = all.filter(isTag);
  const realOnes = new Set(real);
  const declarations = [...text.matchAll(declaration)].map(({ index, 0: span }) => piece(span, span, index));
  const comments = [...text.matchAll(comment)].map(({ index, 0: span }) => piece('', span, index));
  const isWord = (one: Tag): boolean =>
    !realOnes.has(one) && !one.closing && one.attributes.length === 0 && text[one.start - 1] !== '%';
  const words = all.filter(isWord);
  // The translation of a name such as `<file>` may consist of several words, in any script.
  const starts = text.match(/<(?=[^\s<>=!/])/g)?.length ?? 0;
  return {
    names: new Set(real.map(({ name }) => name)),
    tags: [
      ...declarations,
      ...real.map(({ closing, selfClosing, name, span, start }) => {
        const bare = selfClosing && !voidElements.has(name) ? `${name}/` : name;
        return piece(closing ? `</${name}>` : `<${bare}>`, span, start);
      }),
    ],
    attributes: real.flatMap(({ attributes }) => attributes),
    words: words.map(({ span, start }) => piece(span, span, start)),
    wordStarts: starts - real.filter(({ closing }) => !closing).length,
    ranges: [...real.flatMap(withoutTexts), ...declarations, ...comments],
  };
}

/**
 * Returns the first tag that is not closed, or that closes another tag than the last open one.
 * @param tags the tags of a text in their order
 */
export function misnested(tags: readonly Found[]): Found | undefined {
  const open: Found[] = [];
  for (const one of tags) {
    const [, end, name] = /^<(\/?)([^!][^>]*[^>/]|[^!>/])>$/.exec(one.key) ?? [];
    if (name === undefined || voidElements.has(name)) continue;
    if (!end) open.push(one);
    else if (open.pop()?.key !== `<${name}>`) return one;
  }
  return open.at(-1);
}
