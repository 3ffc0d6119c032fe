import { CompatError } from '../request.ts';
import { badRequest } from './call.ts';

/** An XML text as HTML, whose tags have no meaning, so that only its texts are translated. */
export interface XmlText {
  html: string;
  /** Returns a translation of `html` as XML. @throws CompatError 500 if its tags differ from those of the text */
  write(translation: string): string;
}

/** Markup of XML that is not a tag, by its first characters, with its end. */
const others = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/** A document type with its declarations. */
const doctype =
  /<!DOCTYPE(?:[^"'[>]|"[^"]*"|'[^']*')*(?:\[(?:[^\]"'<]|"[^"]*"|'[^']*'|<!--(?:(?!-->)[\s\S])*-->|<(?!!--))*\]\s*)?>/y;

/**
 * Replaces the markup of an XML text by numbered tags. Elements that are to be ignored are one tag, with their content.
 * References to entities of a document type are tags, too. The time is linear.
 * @throws CompatError 400 for markup that does not end, or tags that are not nested
 */
export function readXml(text: string, ignored: ReadonlySet<string>): XmlText {
  const markup: string[] = [];
  const open: string[] = [];
  let html = '';
  /** The start of an ignored element, and its depth. */
  let skipped: { start: number; depth: number } | undefined;
  let at = 0;
  /** Whether the document type can declare entities. That of HTML declares those that the service reads. */
  let hasEntities = false;
  const tagFor = (source: string) => `<x-${markup.push(source)}>`;
  const replace = (start: number, end: number) => {
    html += tagFor(text.slice(start, end));
  };
  const append = (plain: string) => {
    html += hasEntities ? plain.replace(/&(?!(?:amp|lt|gt|quot|apos|#\w+);)[^&;\s]+;/g, tagFor) : plain;
  };
  for (let start = text.indexOf('<'); start >= 0; start = text.indexOf('<', at)) {
    if (!skipped) append(text.slice(at, start));
    const other = others.find(([first]) => text.startsWith(first, start));
    if (text.startsWith('<!DOCTYPE', start)) {
      at = endOfDoctype(text, start);
      const declared = text.slice(start, at);
      hasEntities = declared.includes('<!ENTITY') || !/^<!DOCTYPE\s+html\b/i.test(declared);
    } else at = other ? endOf(text, other[1], start + other[0].length) : endOfTag(text, start);
    const tag = other ? undefined : /^<(\/?)([^\s/>]+)/.exec(text.slice(start, at));
    if (!other && !tag) throw malformed(start);
    if (tag?.[1] === '/') {
      if (open.pop() !== tag[2]) throw malformed(start);
      if (skipped?.depth === open.length) {
        replace(skipped.start, at);
        skipped = undefined;
        continue;
      }
    } else if (tag && !text.endsWith('/>', at)) {
      if (!skipped && ignored.has(tag[2] as string)) skipped = { start, depth: open.length };
      open.push(tag[2] as string);
    }
    if (!skipped) replace(start, at);
  }
  if (open.length > 0) throw malformed(text.length);
  append(text.slice(at));
  const write = (translation: string) => {
    const used = [...translation.matchAll(/<x-(\d+)>/g)].map(([, number]) => Number(number));
    const isComplete = used.length === markup.length && new Set(used).size === markup.length;
    const xml = translation.replaceAll(/<x-(\d+)>/g, (tag, number) => markup[Number(number) - 1] ?? tag);
    if (!isComplete || !isNested(xml))
      throw new CompatError(500, 'The translation has other tags than the text. Send the text again.');
    return xml;
  };
  return { html, write };
}

/** Whether a text is well-formed: a model can move a tag behind the one that closes it. */
function isNested(xml: string): boolean {
  try {
    readXml(xml, new Set());
    return true;
  } catch {
    return false;
  }
}

function endOf(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  if (at < 0) throw malformed(from);
  return at + end.length;
}

function endOfDoctype(text: string, start: number): number {
  doctype.lastIndex = start;
  if (!doctype.test(text)) throw malformed(start);
  return doctype.lastIndex;
}

/** Returns the end of a tag, whose attribute values may have `>`. */
function endOfTag(text: string, start: number): number {
  let quote = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return at + 1;
    else if (character === '<') break;
    else if (character === '"' || character === "'") quote = character;
  }
  throw malformed(start);
}

function malformed(at: number) {
  return badRequest(
    `Tag handling parsing failed, please check input: the XML is malformed at character ${at + 1}.`,
  );
}
