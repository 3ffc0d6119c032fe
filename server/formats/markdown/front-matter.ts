import { isScalar, parseDocument, visit } from 'yaml';
import { declaredTag } from '../messages/language-tags.ts';
import type { Edit } from '../office/splice.ts';
import type { TextOptions } from '../text-file.ts';
import { scalarText } from '../yaml/scalars.ts';

export interface FrontMatterText {
  start: number;
  end: number;
  key: string;
  text: string;
  write(text: string): Edit;
}

export interface FrontMatter {
  texts: FrontMatterText[];
  /** The changes of values that declare the language of the page. */
  declared: Edit[];
}

/** The keys whose values readers see. */
const keys: ReadonlySet<string> = new Set([
  'title',
  'description',
  'summary',
  'subtitle',
  'label',
  'sidebar_label',
]);

/**
 * Finds the texts of front matter in YAML. Its values keep their quotes, if the translation allows it.
 *
 * @param offset the position of the YAML in the file
 */
export function readYaml(yaml: string, offset: number, languages: TextOptions): FrontMatter {
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
  const found: FrontMatter = { texts: [], declared: [] };
  if (document.errors.length > 0) return found;
  visit(document, {
    Pair(_, { key: name, value }) {
      // Only the values at the top are known by their keys.
      if (!isScalar(name) || !isScalar(value) || typeof value.value !== 'string' || !value.range)
        return visit.SKIP;
      const [key, text] = [String(name.value), value.value];
      const [start, end] = [offset + value.range[0], offset + value.range[1]];
      const written = yaml.slice(value.range[0], value.range[1]);
      // The line end of a block is not a part of its text.
      const last = /\n*$/.exec(text)![0];
      const write = (target: string) => ({
        start,
        end,
        text: scalarText(value, target.trim() + last, written),
      });
      add(found, { start, end, key, text, write }, languages);
      return visit.SKIP;
    },
  });
  return found;
}

function add({ texts, declared }: FrontMatter, value: FrontMatterText, languages: TextOptions): void {
  const language = declaredTag(value.key, value.text, languages);
  if (language !== undefined) declared.push(value.write(language));
  else if (keys.has(value.key)) texts.push(value);
}

const tomlString = /^([\w-]+)[ \t]*=[ \t]*("(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')[ \t]*(?:#.*)?$/;

/** Finds the texts of front matter in TOML: strings of one line before the first table. */
export function readToml(toml: string, offset: number, languages: TextOptions): FrontMatter {
  const found: FrontMatter = { texts: [], declared: [] };
  let at = offset;
  for (const line of toml.split('\n')) {
    if (/^\s*\[/.test(line)) break;
    const [, key = '', written = ''] = tomlString.exec(line.trimEnd()) ?? [];
    const text = unquoted(written);
    if (text !== undefined) {
      const start = at + line.indexOf(written, key.length);
      const end = start + written.length;
      const write = (target: string): Edit => ({
        ...{ start, end },
        text:
          written.startsWith("'") && !/['\p{Cc}]/u.test(target)
            ? `'${target}'`
            : // JSON has no escape for this control character.
              JSON.stringify(target).replaceAll('\x7f', '\\u007f'),
      });
      add(found, { start, end, key, text, write }, languages);
    }
    at += line.length + 1;
  }
  return found;
}

function unquoted(written: string): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1);
  try {
    return JSON.parse(written) as string;
  } catch {
    return undefined;
  }
}
