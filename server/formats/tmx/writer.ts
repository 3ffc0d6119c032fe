import { attributes, escapeText } from '../xml/xml-text.ts';
import { writeChangedate } from './changedate.ts';

/** The type of the property with the hashes of the context of a unit. */
export const contextType = 'x-lingualoop-context';

/** The texts before and after a unit; null at the ends of a file. */
export interface TmxContext {
  before: string | null;
  after: string | null;
}

interface TmxHead {
  /** The declared language of the set's source. The target language is only in the units. */
  sourceLang: string;
  targetLang: string;
  creationDate: Date;
  /** The version of this service, which is written to the file. */
  version?: string;
}

export interface TmxUnit {
  source: string;
  target: string;
  sourceLang: string;
  targetLang: string;
  tuid: string | null;
  /** The date of the last change in ISO 8601; null if missing. */
  changedate: string | null;
  creationDate?: Date;
  /** The hashes of the texts before and after the unit. */
  context?: TmxContext | null;
}

/**
 * Writes the start of a TMX 1.4b file in UTF-8. The units and `tmxTail` must follow. The file has no DTD, because some
 * parsers reject a DOCTYPE. `readTmx` returns exactly the texts that were written, except characters that XML 1.0
 * cannot contain, which are removed.
 */
export function tmxHead({ sourceLang, creationDate, version = '1' }: TmxHead): string {
  const header = attributes({
    creationtool: 'LinguaLoop',
    creationtoolversion: version,
    datatype: 'plaintext',
    segtype: 'sentence',
    adminlang: 'en',
    srclang: sourceLang,
    'o-tmf': 'LinguaLoop',
    creationdate: writeChangedate(creationDate.toISOString()),
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header${header}/>\n<body>\n`;
}

/** Returns one `<tu>` element. Each part of it is on a separate line. */
export function tmxUnit({
  source,
  target,
  tuid,
  changedate,
  creationDate,
  context,
  ...languages
}: TmxUnit): string {
  const unit = attributes({
    tuid,
    creationdate: writeChangedate(creationDate?.toISOString() ?? null),
    changedate: writeChangedate(changedate),
  });
  const hashes = context
    ? `<prop${attributes({ type: contextType })}>${context.before ?? ''} ${context.after ?? ''}</prop>\n`
    : '';
  return `<tu${unit}>\n${hashes}${variant(languages.sourceLang, source)}${variant(languages.targetLang, target)}</tu>\n`;
}

/** The end of a file that starts with `tmxHead`. */
export const tmxTail = '</body>\n</tmx>\n';

function variant(tag: string, text: string): string {
  return `<tuv${attributes({ 'xml:lang': tag })}><seg>${escapeText(text)}</seg></tuv>\n`;
}
