import { isCodeAttribute } from '../code-names.ts';
import type { TextOptions } from '../text-file.ts';

/*
 * Keys of front matter, and attributes of components, shortcodes and directives, whose values readers see. They are known by
 * their names only, in any spelling: `sidebar_label`, `sidebarLabel` and `sidebar-label` are one name.
 */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** A name that ends with one of these words has a text: `hero_text`, `fig-cap`, `pageTitle`. */
const lastWords = words(
  'title subtitle heading headline subheading subheadline description summary abstract excerpt caption subcaption cap subcap alt label tagline tooltip placeholder text',
);

/** Other names, without the signs between their words. */
const names = words(
  'aria-label details tip hint helptext message legend lead lede intro introduction question answer quote notice disclaimer copyright keypoints acknowledgments acknowledgements dataavailability plainlanguagesummary epigraph dedication linktext cta badge valuetext roledescription',
);

/** Names that only front matter has in this sense. A component's `keywords` can be code, and its `footer` a component. */
const matterNames = words('keywords keyword footer imagedescription descriptionmeta');

/** Names that mean a text in components only. */
const attributeNames = words('summary header content note subheader helper');

/** Names that end with one of the words, and are code. */
const codeNames = words('alignlabel datatext showlabel hidelabel showtitle hidetitle notitle');

/** Names whose values are texts although the lists above lack them. A workspace can set them. */
export interface OwnNames {
  /** Of front matter. */
  keys: ReadonlySet<string>;
  /** Of components, elements of HTML, shortcodes and directives. */
  attributes: ReadonlySet<string>;
}

export const noNames: OwnNames = { keys: new Set(), attributes: new Set() };

/** Returns the names of a workspace as texts are compared with them. */
export function readOwnNames(named: TextOptions['ownNames']): OwnNames {
  if (!named) return noNames;
  const read = (list: readonly string[]) => new Set(list.map((name) => partsOf(name).join('')));
  return { keys: read(named.keys), attributes: read(named.attributes) };
}

const partsOf = (name: string): string[] =>
  name.split(/[\s_:.-]+|(?<=[a-z\d])(?=[A-Z])/).map((part) => part.toLowerCase());

/** Whether a name is one of the workspace. Names with a sign before them, such as `:label` of Vue, have code. */
export const hasName = (own: ReadonlySet<string>, name: string): boolean =>
  own.size > 0 && /^[\p{L}\p{N}_]/u.test(name) && own.has(partsOf(name).join(''));

function matches(name: string, further: ReadonlySet<string>): boolean {
  const parts = partsOf(name);
  const joined = parts.join('');
  if (codeNames.has(joined)) return false;
  return lastWords.has(parts.at(-1)!) || names.has(joined) || further.has(joined);
}

/** Whether a workspace has named an attribute as one with texts. */
export const isNamedAttribute = ({ attributes }: OwnNames, name: string): boolean =>
  hasName(attributes, name) && !isCodeAttribute(name);

/** Whether the value of a key of front matter is a text. */
export const isTextKey = (name: string): boolean => matches(name, matterNames);

/** Whether the value of an attribute of a component, shortcode or directive is a text. */
export const isTextAttribute = (name: string, own: OwnNames): boolean =>
  isNamedAttribute(own, name) || matches(name, attributeNames);

/**
 * Whether a value is code although its name is that of a text: an address, a path, an identifier, a slug, a number, a
 * Boolean, or an expression.
 */
export function isCodeValue(value: string): boolean {
  const text = value.trim();
  return (
    !/\p{L}/u.test(text) ||
    /^(?:true|false|null|undefined|none|auto)$/i.test(text) ||
    !/\p{L}/u.test(text.replace(/\{\{[^{}]*\}\}|\{%[^{}]*%\}/g, '')) ||
    /\$\{|<[%?]|`r [^`]+`/.test(text) ||
    /^[\w-]*:\/\/\S*$|^(?:[.~@#$%/]|\\)\S*$|^\{[^{}]*\}$/.test(text) ||
    // One word with signs inside of it, such as `lib/page.ts`, `some_id`, `a-slug` or `camelCase`.
    /^[\w-]+(?:[/\\:@#=][\w./\\:@#=-]*)+$|^[\w-]+(?:\.[\w-]+)+$|^\w*[a-z\d]_\w+$|^[a-z\d]+(?:-[a-z\d]+)+$|^[a-z]+[A-Z]\w*$/.test(
      text,
    )
  );
}

/** Returns what readers can see of code: strings and texts of elements that consist of words. They stay. */
export function proseOfCode(code: string, hasLabels = false): string[] {
  const found: string[] = [];
  const pattern = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\[\s\S])*)`|>([^<>{}]+)</g;
  for (const [, double, single, template, inner] of code.matchAll(pattern)) {
    const text = double ?? single ?? template ?? inner!;
    if (isProse(text) || (inner && /\p{L}/u.test(inner)) || (hasLabels && /\p{L}/u.test(text)))
      found.push(text);
  }
  return found;
}

/** Whether a string consists of words. */
export const isProse = (text: string): boolean =>
  /\p{L}{2}\S*\s+\S*\p{L}{2}/u.test(text) && !isCodeValue(text);
