import { isMap, isPair, isScalar, isSeq, type Node, parseDocument, type Scalar, visit } from 'yaml';
import { isCodeAttribute, isCodeKey } from '../code-names.ts';
import { hasName, isCodeValue, isTextKey, type OwnNames, readOwnNames } from '../markup/visible-names.ts';
import { declaredTag } from '../messages/language-tags.ts';
import { reasonToKeep } from '../messages/strings.ts';
import type { Edit } from '../office/splice.ts';
import type { TextOptions } from '../text-file.ts';
import { scalarText } from '../yaml/scalars.ts';
import { stringsOfToml } from './toml-strings.ts';

/*
 * Front matter: the data of a page. Site generators show some of its values, also those of nested maps and lists, such as the
 * features of a home page. The names of the keys decide (`markup/visible-names.ts`).
 */

export interface FrontMatterText {
  start: number;
  end: number;
  /** The key with the keys around it, such as `hero.actions.text`. */
  key: string;
  text: string;
  write(text: string): Edit;
}

export interface FrontMatter {
  texts: FrontMatterText[];
  /** The changes of values that declare the language of the page. */
  declared: Edit[];
  /** Texts of other keys. */
  kept: { reason: string; text: string }[];
}

/** A string, and the keys and numbers of items around it. */
interface MatterString extends Omit<FrontMatterText, 'key'> {
  path: readonly string[];
  /** The map that has the string, if other keys of it say what the value is. */
  siblings?: ReadonlyMap<string, string> | undefined;
}

/** Front matter that the parser of Markdown does not know. */
export interface NamedMatter {
  /** The range with the lines around it. */
  start: number;
  end: number;
  /** The range of the data. */
  from: number;
  to: number;
  isToml: boolean;
}

/** Finds front matter in JSON without lines around it (Hugo), or after a line with its type, such as `---json` (Eleventy). */
export function findNamedMatter(source: string): NamedMatter | undefined {
  const named = /^---(json|ya?ml|toml)[ \t]*\r?\n([\s\S]*?\n)---[ \t]*(?:\r?\n|$)/.exec(source);
  if (named) {
    const [whole, type = '', data = ''] = named;
    const from = whole.indexOf('\n') + 1;
    return { start: 0, end: whole.length, from, to: from + data.length, isToml: type === 'toml' };
  }
  if (!/^\{\s*"/.test(source)) return undefined;
  // The end is known by its line. An item of a list of maps ends in such a line only if it is not indented.
  const end = /\}[ \t]*(?:\r?\n|$)(?!\s*[,\]}"])/.exec(source);
  const to = end ? end.index + 1 : 0;
  try {
    JSON.parse(source.slice(0, to));
  } catch {
    return undefined;
  }
  return { start: 0, end: to, from: 0, to, isToml: false };
}

/**
 * Finds the texts of front matter in YAML or JSON. Its values keep their quotes, if the translation allows it.
 *
 * @param offset the position of the YAML in the file
 */
export function readYaml(yaml: string, offset: number, options: TextOptions): FrontMatter {
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
  const found: FrontMatter = { texts: [], declared: [], kept: [] };
  if (document.errors.length > 0) return keptWhole(found, yaml);
  const isJson = /^\s*\{/.test(yaml);
  const names = readOwnNames(options.ownNames);
  visit(document, {
    Scalar(at, node, parents) {
      if (at === 'key' || typeof node.value !== 'string' || !node.range || isCode(node)) return;
      const text = node.value;
      const range = { start: offset + node.range[0], end: offset + node.range[1] };
      const written = yaml.slice(node.range[0], node.range[1]);
      // The line end of a block is not a part of its text.
      const last = /\n*$/.exec(text)![0];
      const write = (target: string) => ({
        ...range,
        text: isJson ? JSON.stringify(target.trim()) : scalarText(node, target.trim() + last, written),
      });
      const path = pathOf(parents, node);
      add(found, { ...range, path, text, write, siblings: siblingsOf(parents) }, options, names);
    },
  });
  return found;
}

/** Whether a scalar has an explicit tag, such as `!expr` of R. */
const isCode = ({ tag }: Scalar): boolean => tag !== undefined && tag !== 'tag:yaml.org,2002:str';

function pathOf(parents: readonly unknown[], node: Node): string[] {
  const all = [...parents, node];
  return all.flatMap((parent, at): string[] => {
    if (isPair(parent)) return [isScalar(parent.key) ? String(parent.key.value) : ''];
    return isSeq(parent) ? [String(parent.items.indexOf(all[at + 1]))] : [];
  });
}

/** Returns the strings of a map by their keys. */
function siblingsOf(parents: readonly unknown[]): ReadonlyMap<string, string> | undefined {
  const map = parents.at(-2);
  if (!isMap(map) || map.items.length > 20) return undefined;
  return new Map(
    map.items.flatMap(({ key, value }) =>
      isScalar(key) && isScalar(value) && typeof value.value === 'string'
        ? [[String(key.value), value.value] as const]
        : [],
    ),
  );
}

/** Finds the texts of front matter in TOML. */
export function readToml(toml: string, offset: number, options: TextOptions): FrontMatter {
  const found: FrontMatter = { texts: [], declared: [], kept: [] };
  const names = readOwnNames(options.ownNames);
  const strings = stringsOfToml(toml);
  if (strings.length === 0) return keptWhole(found, toml);
  for (const { path, start, end, quote, text } of strings) {
    const range = { start: offset + start, end: offset + end };
    const write = (target: string): Edit => ({
      ...range,
      text:
        quote.startsWith("'") && !/['\p{Cc}]/u.test(target)
          ? `${quote}${target}${quote}`
          : // JSON has no escape for this control character.
            JSON.stringify(target).replaceAll('\x7f', '\\u007f'),
    });
    add(found, { ...range, path, text, write }, options, names);
  }
  return found;
}

function keptWhole(found: FrontMatter, matter: string): FrontMatter {
  if (matter.trim() !== '') found.kept.push({ reason: 'code', text: matter });
  return found;
}

function add(
  { texts, declared, kept }: FrontMatter,
  value: MatterString,
  languages: TextOptions,
  names: OwnNames,
): void {
  const { path, text, siblings, ...rest } = value;
  const keys = path.filter((name) => !/^\d+$/.test(name));
  const language = path.length === 1 ? declaredTag(path[0]!, text, languages) : undefined;
  if (language !== undefined) declared.push(value.write(language));
  else if (!isText(text, keys, siblings, names)) {
    if (isProse(text) || visibleKeys.has(keys.at(-1) ?? '')) kept.push({ reason: 'code', text });
  } else if (isCodeValue(text) && (path.length > 1 || !/^[\w-]+$/.test(text)))
    kept.push({ reason: 'code', text });
  else texts.push({ ...rest, key: keys.join('.'), text });
}

/** Keys whose values are visible, and are names: of people and products, and of pages by which a site finds them. */
const visibleKeys: ReadonlySet<string> = new Set(['name', 'author', 'authors', 'tags', 'categories']);
/** The keys around values that are code or names. */
const codeParents: ReadonlySet<string> = new Set(['attrs', 'kernelspec', 'jupytext', 'language_info']);
/** What `content` of an element `meta` is, by its name. */
const metaText = /^(?:description|keywords|(?:og|twitter):(?:title|description|image:alt|site_name))$/i;

function isText(
  text: string,
  keys: readonly string[],
  siblings: ReadonlyMap<string, string> | undefined,
  names: OwnNames,
): boolean {
  const key = keys.at(-1) ?? '';
  const parent = keys.at(-2) ?? '';
  const isProgram =
    isCodeKey(key) ||
    isCodeKey(siblings?.get('tag') ?? '') ||
    (codeParents.has(parent) && isCodeAttribute(key));
  if (hasName(names.keys, key) && !isProgram) return true;
  if (key === 'content') {
    const name = siblings?.get('name') ?? siblings?.get('property');
    return parent === 'banner' || (name !== undefined && metaText.test(name));
  }
  // An entry of a menu of Hugo.
  if (key === 'name' && /^menus?$/.test(keys[0] ?? '') && keys.length > 1) return true;
  // The link to the page before or after can be a text, or the name of a page.
  if ((key === 'prev' || key === 'next') && keys.length === 1) return isProse(text);
  return isTextKey(key) && !keys.slice(0, -1).some((name) => codeParents.has(name));
}

/** Whether a value of an unknown key can be a text that readers see. */
function isProse(text: string): boolean {
  return /\p{L}{2}\S*\s+\S*\p{L}{2}/u.test(text) && reasonToKeep(text) === null && !isCodeValue(text);
}
