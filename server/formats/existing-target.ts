import { createHash } from 'node:crypto';
import { FileError } from './file-error.ts';
import { alignLists } from './messages/align-lists.ts';

/*
 * A translation that exists already, such as the file of a repository with corrections by hand. Its texts are compared with
 * the texts that the service wrote, by key, so that a corrected text is never replaced, and only changed sources are
 * translated. Formats without keys, such as Markdown, compare the order of their texts.
 */

/** A text of a file, with all its plural forms. */
export interface FileText {
  /** The place in the file, for messages: `line 3, menu.open`. */
  place: string;
  /** The source, with all its forms. */
  source: string;
  /** The names of its texts in a translation: its key, or a name for each plural form of the target language. */
  names: readonly string[];
  /** Its texts if this file is the translation. */
  own: readonly OwnText[];
}

/** A text of a translation. */
export interface OwnText {
  name: string;
  text: string;
  /** Set for a text that the file marks for review. */
  isDraft?: boolean;
}

/** The texts of a file in their order. */
export interface FileTexts {
  /** Set if the format has no keys. Then the names are the positions, from 1. */
  isOrdered?: true;
  all: readonly FileText[];
}

/** The texts of a translation that stay, by name. */
export type KeptTexts = ReadonlyMap<string, Pick<OwnText, 'text' | 'isDraft'>>;

/** The hashes of a text when the service wrote it. */
interface Written {
  source: string;
  target: string;
}

/**
 * The hashes of all texts of a written translation: of the source and of the translation, each 16 hexadecimal digits, with
 * a space in between. By name, or as a list for a format without keys.
 */
export type WrittenTexts = Record<string, string> | string[];

export interface Existing {
  source: FileTexts;
  /** The texts of the existing translation. */
  target: FileTexts;
  /** The texts that the service wrote; null if they are unknown. Then all existing texts stay. */
  written: WrittenTexts | null;
  /** The translation as reviewers have corrected it since it was written; null if it is unknown. */
  corrected: FileTexts | null;
}

/**
 * Decides which texts of an existing translation stay: those whose source has not changed, and those that were edited.
 *
 * @returns the texts that stay, and the places of edited texts whose source has changed, too, or was removed
 * @throws {FileError} `existing` if the translation has a text that the source lacks, because it would be lost
 */
export function keepTexts(existing: Existing): {
  kept: KeptTexts;
  conflicts: string[];
  removed: string[];
} {
  const { source, target, written, corrected } = byName(existing);
  const own = new Map(target.flatMap(({ own }) => own.map((one) => [one.name, one] as const)));
  const corrections = new Map(corrected.flatMap((text) => text.own.map((one) => [one.name, one] as const)));
  const names = new Set(source.all.flatMap((text) => text.names));
  const renamed = new Map(
    [...(written ?? [])].flatMap(([name, before]) =>
      names.has(name) ? [] : [[before.source, own.get(name)] as const],
    ),
  );
  const kept = new Map<string, OwnText>();
  const conflicts: string[] = [];
  for (const text of source.all) {
    const hash = hashOf(text.source);
    for (const name of text.names) {
      const before = written?.get(name);
      const moved = before || text.names.length > 1 ? undefined : renamed.get(hash);
      const current = own.get(name) ?? moved;
      if (!current || (current.text === '' && text.source !== '')) continue;
      const isChanged = before !== undefined && before.source !== hash;
      if (current.isDraft && (isChanged || !before)) continue;
      if (isChanged && before.target === hashOf(current.text)) continue;
      if (isChanged) conflicts.push(text.place);
      const isWritten = before?.target === hashOf(current.text);
      kept.set(name, (isWritten && corrections.get(name)) || current);
    }
  }
  requireNoOthers(target, (name) => names.has(name) || written?.has(name) === true);
  const stay = new Set<unknown>(kept.values());
  const isLost = ({ name, text }: OwnText) => {
    const before = written?.get(name);
    return before !== undefined && !names.has(name) && before.target !== hashOf(text);
  };
  const removed = target.filter((text) => text.own.some((one) => isLost(one) && !stay.has(one)));
  return { kept, conflicts, removed: removed.map(({ place }) => place) };
}

/** @throws {FileError} `existing` */
function requireNoOthers(target: readonly FileText[], isKnown: (name: string) => boolean): void {
  const others = target.filter(({ own }) => own.some(({ name, text }) => text !== '' && !isKnown(name)));
  const [first] = others;
  if (!first) return;
  const more = others.length > 1 ? ` (and ${others.length - 1} more)` : '';
  throw new FileError(
    'existing',
    `existing_target: ${first.place}${more}: the source has no such text; add it to the source, or remove it from the translation`,
  );
}

/** Returns the texts with names. For a format without keys, the names are the positions in the source. */
function byName({ source, target, written, corrected }: Existing): {
  source: FileTexts;
  target: readonly FileText[];
  written: ReadonlyMap<string, Written> | null;
  corrected: readonly FileText[];
} {
  if (!source.isOrdered)
    return {
      source,
      target: target.all,
      written: written && new Map(entriesOf(written, false)),
      corrected: corrected?.all ?? [],
    };
  if (!written || (Array.isArray(written) && written.length === 0)) {
    if (target.all.length === source.all.length)
      return { source, target: target.all, written: null, corrected: [] };
    throw new FileError(
      'existing',
      `existing_target: it has ${target.all.length} texts, and the source has ${source.all.length}, so they cannot be paired`,
    );
  }
  const before = entriesOf(written, true);
  const inSource = alignLists(
    before.map(([, one]) => one.source),
    source.all.map((text) => hashOf(text.source)),
  );
  const inTarget = alignLists(
    before.map(([, one]) => one.target),
    target.all.map(({ own }) => hashOf(own[0]!.text)),
  );
  const positions = new Map(inSource.flatMap((at, index) => (at === null ? [] : [[at, String(index + 1)]])));
  const nameOf = (at: number) => positions.get(at) ?? `removed ${at}`;
  const renamed = (text: FileText, name: string) => ({ ...text, own: [{ ...text.own[0]!, name }] });
  return {
    source,
    target: target.all.map((text, index) => {
      const at = inTarget[index] ?? null;
      return renamed(text, at === null ? `added ${index}` : nameOf(at));
    }),
    written: new Map(before.map(([, one], at) => [nameOf(at), one])),
    corrected:
      corrected?.all.length === before.length
        ? corrected.all.map((text, at) => renamed(text, nameOf(at)))
        : [],
  };
}

/** @throws {FileError} `existing` if the hashes are not those of this format */
function entriesOf(written: WrittenTexts, isOrdered: boolean): [string, Written][] {
  const wrong = (name: string) => new FileError('existing', `existing_texts: ${name}`);
  if (Array.isArray(written) !== isOrdered)
    throw wrong(`a JSON ${isOrdered ? 'list' : 'object'} is expected for this format`);
  return Object.entries(written).map(([name, hashes]) => {
    const [, source, target] = /^([0-9a-f]{16}) ([0-9a-f]{16})$/.exec(hashes) ?? [];
    if (!source || !target) throw wrong(`${JSON.stringify(name)} has no hashes`);
    return [name, { source, target }];
  });
}

/** Returns the hashes of a translation that was written. Texts that it lacks are left out. */
export function hashTexts(source: FileTexts, target: FileTexts): WrittenTexts {
  if (source.isOrdered) {
    if (source.all.length !== target.all.length) return [];
    return source.all.map((text, at) => `${hashOf(text.source)} ${hashOf(target.all[at]!.own[0]!.text)}`);
  }
  const own = new Map(target.all.flatMap((text) => text.own.map((one) => [one.name, one.text] as const)));
  return Object.fromEntries(
    source.all.flatMap((text) =>
      text.names.flatMap((name) =>
        own.has(name) ? [[name, `${hashOf(text.source)} ${hashOf(own.get(name)!)}`]] : [],
      ),
    ),
  );
}

/** The line ends are not hashed: a clone may have others. */
function hashOf(text: string): string {
  return createHash('sha256').update(text.replaceAll(/\r\n?/g, '\n')).digest('hex').slice(0, 16);
}

/** Returns a function that makes keys unique: a key that occurs again gets a number. */
export function uniqueNames(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  };
}
