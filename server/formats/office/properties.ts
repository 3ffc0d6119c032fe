import { readPositionedXml } from './xml-reader.ts';

/** A child element of a `pPr` or an `rPr`. */
export interface Property {
  /** The local name of the element in Word's namespace; undefined if the element is in another namespace. */
  local: string | undefined;
  start: number;
  end: number;
}

/** A parsed `pPr` or `rPr` element, with the parts that are needed to change it. */
export interface Properties {
  raw: string;
  /** The start tag without its `/>` or `>`. */
  opening: string;
  name: string;
  prefix: string;
  children: Property[];
  /** The offset of the end tag; undefined for an empty element such as `<w:pPr/>`. */
  endTag: number | undefined;
}

/**
 * Parses a `pPr` or an `rPr` element. The namespaces are declared outside of it, so children belong to Word's namespace
 * if they have the same prefix as the element.
 *
 * @param source the XML of the element; '' if missing
 * @param outerName the name of the element with its prefix, used if `source` is empty
 */
export function parseProperties(source: string, outerName: string): Properties {
  const raw = source || `<${outerName}></${outerName}>`;
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
  });
  return properties;
}

/**
 * The language of a run. Programs use this language to check spelling, to hyphenate and to read aloud. In Word files, three
 * groups of scripts have separate attributes.
 */
export interface TextLanguage {
  /** The attribute of `w:lang` for the scripts of the language. */
  attribute: 'val' | 'eastAsia' | 'bidi';
  /** The language tag with its region, as programs write it: `fr-FR`. */
  tag: string;
  /** The language as a supported language code. */
  code: string;
}

const eastAsianScripts = new Set(['Hans', 'Hant', 'Jpan', 'Kore']);
/** The scripts that Word formats by its complex-script properties. */
const complexScripts = new Set(['Arab', 'Deva', 'Thai']);

/** @param code a supported language code */
export function textLanguageOf(code: string): TextLanguage {
  const { language, script = '', region } = new Intl.Locale(code).maximize();
  const attribute = eastAsianScripts.has(script) ? 'eastAsia' : complexScripts.has(script) ? 'bidi' : 'val';
  return { attribute, tag: `${language}-${region}`, code };
}

/**
 * Whether a language tag is a variety of the language. British text stays British if the target is `en`, but not if the
 * target is a code with another region.
 */
export function isVariety(tag: string, language: Pick<TextLanguage, 'tag' | 'code'>): boolean {
  return tag === language.tag || (!language.code.includes('-') && tag.startsWith(`${language.code}-`));
}
