import { isScalar, parseDocument, parse as parseYaml, Scalar, visit } from 'yaml';
import type { Edit } from '../office/splice.ts';

/** A text of the front matter. */
export interface FrontMatterText {
  start: number;
  end: number;
  key: string;
  text: string;
  write(text: string): Edit;
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
export function readYaml(yaml: string, offset: number): FrontMatterText[] {
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false });
  const found: FrontMatterText[] = [];
  if (document.errors.length > 0) return found;
  visit(document, {
    Pair(_, { key, value }) {
      const isText =
        isScalar(key) && keys.has(String(key.value)) && isScalar(value) && typeof value.value === 'string';
      if (isText && value.range) {
        const [start, end] = [value.range[0], value.range[1]];
        const written = yaml.slice(start, end);
        const { type } = value;
        found.push({
          start: offset + start,
          end: offset + end,
          key: String(key.value),
          text: value.value as string,
          write: (text) => ({
            start: offset + start,
            end: offset + end,
            text: writeScalar(text, type, written),
          }),
        });
      }
      // Only the values at the top are known by their keys.
      return visit.SKIP;
    },
  });
  return found;
}

function writeScalar(text: string, type: Scalar.Type | undefined, written: string): string {
  if (type === Scalar.QUOTE_SINGLE && !/[\n\t]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  if (type === Scalar.BLOCK_FOLDED || type === Scalar.BLOCK_LITERAL) {
    const [, header, indent] = /^([^\r\n]*\r?\n)(?:[ \t]*\r?\n)*([ \t]+)/.exec(written) ?? [];
    const end = /\s*$/.exec(written)![0];
    if (header && indent)
      return (
        header +
        text
          .trim()
          .split(/\r?\n/)
          .map((line) => indent + line.trim())
          .join(header.endsWith('\r\n') ? '\r\n' : '\n') +
        end
      );
  }
  if (type === Scalar.PLAIN && isPlain(text)) return text;
  return JSON.stringify(text);
}

/** Whether YAML reads a value without quotes as this text. */
function isPlain(text: string): boolean {
  if (/[\r\n]/.test(text)) return false;
  try {
    // At the level `silent`, errors are not thrown.
    return parseYaml(`a: ${text}`, { logLevel: 'error' })?.a === text;
  } catch {
    return false;
  }
}

const tomlString = /^([\w-]+)[ \t]*=[ \t]*("(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*')[ \t]*(?:#.*)?$/;

/** Finds the texts of front matter in TOML: strings of one line before the first table. */
export function readToml(toml: string, offset: number): FrontMatterText[] {
  const found: FrontMatterText[] = [];
  let at = offset;
  for (const line of toml.split('\n')) {
    if (/^\s*\[/.test(line)) break;
    const [, key = '', written = ''] = tomlString.exec(line.trimEnd()) ?? [];
    const text = keys.has(key) ? unquoted(written) : undefined;
    if (text !== undefined) {
      const start = at + line.indexOf(written, key.length);
      const end = start + written.length;
      const write = (target: string): Edit => ({
        ...{ start, end },
        text: written.startsWith("'") && !/['\n]/.test(target) ? `'${target}'` : JSON.stringify(target),
      });
      found.push({ start, end, key, text, write });
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
