import type { Found, Range } from './found.ts';

// Neither a name nor a value may hold `<`, so an attempt ends at the next one at the latest.
const tag =
  /<(\/?)([A-Za-z][\w:.-]{0,60}|\d{1,3})((?:\s+[A-Za-z_:@*#][\w:.@-]{0,60}(?:\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=`]+))?)*)\s*(\/?)>/g;
const attribute = /([A-Za-z_:@*#][\w:.@-]{0,60})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+)))?/g;
const otherMarkup = /<!--[^<]*-->|<!doctype[^<>]*>/gi;

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

/** Their values are translated (B 2.2 text_type) or belong to a language. */
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
  /** Tags by their names and kind. */
  tags: Found[];
  /** Attributes with their values, by element, translatable ones aside. */
  attributes: Found[];
  /** All tags, comments and declarations. */
  ranges: Range[];
}

interface Tag extends Range {
  closing: boolean;
  selfClosing: boolean;
  name: string;
  attributes: Found[];
  span: string;
}

function attributesOf(element: string, text: string, offset: number): Found[] {
  const found: Found[] = [];
  for (const match of text.matchAll(attribute)) {
    const name = match[1]!.toLowerCase();
    const value = match[2] ?? match[3] ?? match[4];
    const start = offset + match.index;
    // A translatable attribute has to be there, whatever its value.
    const key =
      translated.has(name) || value === undefined ? `${element} ${name}` : `${element} ${name}=${value}`;
    found.push({ key, span: match[0], start, end: start + match[0].length });
  }
  return found;
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
      attributes: attributesOf(name, match[3]!, offset),
      span: match[0],
      start: match.index,
      end: match.index + match[0].length,
    };
  });
}

/**
 * The markup of a plain text. `a < b`, `List<String>` and the `<file>` of a command's usage are none: an unknown name
 * is a tag where it is closed, and a known one where it is closed, void or has an attribute with a value.
 */
export function findMarkup(text: string): Markup {
  if (!text.includes('<')) return { tags: [], attributes: [], ranges: [] };
  const all = everyTag(text);
  const opened = new Set(all.filter(({ closing }) => !closing).map(({ name }) => name));
  const closed = new Set(all.filter(({ closing }) => closing).map(({ name }) => name));
  const isTag = ({ closing, selfClosing, name, attributes }: Tag): boolean => {
    if (closing) return elements.has(name) || endTagOptional.has(name) || opened.has(name);
    if (closed.has(name) || selfClosing || endTagOptional.has(name)) return true;
    const valued = attributes.some(({ span }) => span.includes('='));
    if (voidElements.has(name)) return valued || name === 'br' || name === 'hr' || name === 'wbr';
    return valued && elements.has(name);
  };
  const real = all.filter(isTag);
  const others = [...text.matchAll(otherMarkup)].map(({ index, 0: span }) => ({
    start: index,
    end: index + span.length,
  }));
  return {
    tags: real.map(({ closing, selfClosing, name, span, start, end }) => ({
      key: closing ? `</${name}>` : selfClosing && !voidElements.has(name) ? `<${name}/>` : `<${name}>`,
      span,
      start,
      end,
    })),
    attributes: real.flatMap(({ attributes }) => attributes),
    ranges: [...real.map(({ start, end }) => ({ start, end })), ...others],
  };
}
