import { createHash } from 'node:crypto';
import { FileError } from './file-error.ts';
import { alignLists } from './messages/align-lists.ts';
import { clip } from './text.ts';

/*
 * A translation that exists already, such as the file of a repository with corrections by hand. Its texts are compared with
 * the texts that the service wrote, by key, so that a corrected text is never replaced, and only changed sources are
 * translated. Formats without keys, such as Markdown, compare the order of their texts.
 */

/** A text of a file, with all its plural forms. */
export interface FileText {
  /** The place in the file, for messages: `line 3, menu.open`. */
  place: string;
  /** The kind of text, such as a heading or an attribute. A text of another kind has other syntax, so it never stays. */
  kind?: string;
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
  /** The characters in the file, and the syntax that they have there, if a text is written in several ways. */
  written?: { form: string; markup: string };
}

/** The texts of a file in their order. */
export interface FileTexts {
  /** Set if the format has no keys. Then the names are the positions, from 1. */
  isOrdered?: true;
  all: readonly FileText[];
}

/** The texts of a translation that stay, by name. `isEdited` is set for those that the service has not written. */
export type KeptTexts = ReadonlyMap<
  string,
  Pick<OwnText, 'text' | 'isDraft' | 'written'> & { isEdited?: boolean }
>;

/** The hashes of a text when the service wrote it. */
interface Written {
  source: string;
  target: string;
  /** Set if the text was edited then already. */
  isEdited: boolean;
  /** Set if the text has to be translated again although its source is the same. */
  isOutdated: boolean;
}

/**
 * The hashes of all texts of a written translation: of the source and of the translation, each 16 hexadecimal digits, with
 * a space in between. By name, or as a list for a format without keys. ` edited` follows for a text that was edited then
 * already, and ` outdated` for one to translate again, for example with another tone.
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
 * Decides which texts of an existing translation stay: those whose source has not changed, and those that were edited since
 * they were written. Texts that were edited before stay until their source changes.
 *
 * @returns the texts that stay, and the places of edited texts: of those that stay although their source has changed
 *   (`conflicts`), of those that are replaced because it has, and of those whose source was removed
 * @throws {FileError} `existing` if the translation has a text that the source lacks, because it would be lost
 */
export function keepTexts(existing: Existing): {
  kept: KeptTexts;
  conflicts: string[];
  replaced: string[];
  removed: string[];
} {
  const { source, target, written, corrected } = byName(existing);
  const ownOf = (texts: readonly FileText[]) =>
    new Map(texts.flatMap(({ own, kind }) => own.map((one) => [one.name, { one, kind }] as const)));
  const [own, corrections] = [ownOf(target), ownOf(corrected)];
  const names = new Set(source.all.flatMap((text) => text.names));
  const renamed = renamedTexts(existing.source.all, own, written ?? new Map());
  const kept = new Map<string, OwnText & { isEdited: boolean }>();
  const conflicts: string[] = [];
  const replaced: string[] = [];
  const replacedTexts = new Set<OwnText>();
  const replace = (text: FileText, one: OwnText) => {
    replaced.push(shown(text.place));
    replacedTexts.add(one);
  };
  for (const text of source.all) {
    const hash = hashOf(text.source, text.kind);
    for (const name of text.names) {
      const moved = own.has(name) ? undefined : renamed.get(name);
      const known = moved ?? name;
      const before = written?.get(known);
      const found = own.get(known);
      const current = found?.one;
      if (!current || (current.text === '' && text.source !== '')) continue;
      const isWritten = before?.target === hashOf(current.text, found.kind);
      const isEdited = !before || !isWritten || before.isEdited;
      const isChanged =
        before !== undefined && (before.source !== hash || (before.isOutdated && !(isWritten && isEdited)));
      if (current.isDraft && (isChanged || !before || moved !== undefined)) {
        if (before && isEdited) replace(text, current);
        continue;
      }
      if (isChanged && isWritten) {
        if (isEdited) replace(text, current);
        continue;
      }
      if (found.kind !== text.kind) {
        // The source has become another kind of text, so that an edit cannot be written there.
        if (!isWritten && !isChanged) throw otherText({ ...text, place: placeIn(target, known) }, 0);
        if (isEdited) replace(text, current);
        continue;
      }
      if (isChanged) conflicts.push(shown(text.place));
      const correction = isWritten && !isEdited ? corrections.get(known) : undefined;
      kept.set(name, {
        ...(correction && correction.kind === text.kind ? correction.one : current),
        isEdited,
      });
    }
  }
  // In a format without keys, a text that is now code or a comment is missing.
  if (existing.source.isOrdered && written)
    for (const {
      names: [name],
      place,
    } of source.all)
      if (!own.has(name!) && written.has(name!)) replaced.push(shown(place));
  requireNoOthers(target, (name) => names.has(name) || written?.has(name) === true);
  const stay = new Set([...kept.values()].map(({ name }) => name));
  const isLost = (one: OwnText, kind: string | undefined) => {
    const before = written?.get(one.name);
    return (
      before !== undefined &&
      !names.has(one.name) &&
      !stay.has(one.name) &&
      !replacedTexts.has(one) &&
      (before.isEdited || before.target !== hashOf(one.text, kind))
    );
  };
  const removed = target
    .filter((text) => text.own.some((one) => isLost(one, text.kind)))
    .map(({ place }) => shown(place));
  return { kept, conflicts, replaced, removed };
}

const placeIn = (texts: readonly FileText[], name: string): string =>
  texts.find(({ own }) => own.some((one) => one.name === name))?.place ?? '';

/**
 * Returns the former names of texts whose name is new and whose source has been under another name, such as the items of an
 * array that has got longer. If a source has been under several names, they are paired in their order, or the best one is
 * taken: one that was edited, or one that has a text.
 */
function renamedTexts(
  source: readonly FileText[],
  own: ReadonlyMap<string, { one: OwnText; kind: string | undefined }>,
  written: ReadonlyMap<string, Written>,
): Map<string, string> {
  const names = new Set(source.flatMap((text) => text.names));
  const gone = Map.groupBy(
    [...written.keys()].filter((name) => !names.has(name)),
    (name) => written.get(name)!.source,
  );
  const added = Map.groupBy(
    source.filter(({ names: [name, ...more] }) => more.length === 0 && !written.has(name!)),
    (text) => hashOf(text.source, text.kind),
  );
  const rank = (name: string): number => {
    const { one, kind } = own.get(name) ?? {};
    if (!one || one.text === '') return 0;
    return written.get(name)!.target === hashOf(one.text, kind) ? 1 : 2;
  };
  const found = new Map<string, string>();
  for (const [hash, texts] of added) {
    const former = gone.get(hash);
    if (!former) continue;
    const [best] = former.toSorted((one, other) => rank(other) - rank(one));
    for (const [at, { names }] of texts.entries())
      found.set(names[0]!, former.length === texts.length ? former[at]! : best!);
  }
  return found;
}

/** The longest place that a message names, in UTF-16 units. */
const maxPlace = 200;

/** Returns a place or name of a file for a message: short, and without characters that cannot be stored or printed. */
function shown(place: string): string {
  const printable = place.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');
  return printable.length > maxPlace ? `${clip(printable, maxPlace - 1)}…` : printable;
}

/** @throws {FileError} `existing` */
function requireNoOthers(target: readonly FileText[], isKnown: (name: string) => boolean): void {
  const others = target.filter(({ own }) => own.some(({ name, text }) => text !== '' && !isKnown(name)));
  if (others[0]) throw otherText(others[0], others.length - 1);
}

function otherText({ place }: FileText, count: number): FileError {
  const more = count > 0 ? ` (and ${count} more)` : '';
  return new FileError(
    'existing',
    `existing_target: ${shown(place)}${more}: the source has no such text; add it to the source, or remove it from the translation`,
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
    source.all.map((text) => hashOf(text.source, text.kind)),
  );
  const inTarget = alignLists(
    before.map(([, one]) => one.target),
    target.all.map(({ own, kind }) => hashOf(own[0]!.text, kind)),
  );
  // A reviewer may have emptied a text, which is then missing.
  const inCorrected = alignLists(
    before.map(([, one]) => one.target),
    (corrected?.all ?? []).map(({ own, kind }) => hashOf(own[0]!.text, kind)),
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
    corrected: (corrected?.all ?? []).flatMap((text, index) => {
      const at = inCorrected[index] ?? null;
      return at === null ? [] : [renamed(text, nameOf(at))];
    }),
  };
}

/** @throws {FileError} `existing` if the hashes are not those of this format */
function entriesOf(written: WrittenTexts, isOrdered: boolean): [string, Written][] {
  const wrong = (name: string) => new FileError('existing', `existing_texts: ${name}`);
  if (Array.isArray(written) !== isOrdered)
    throw wrong(`a JSON ${isOrdered ? 'list' : 'object'} is expected for this format`);
  return Object.entries(written).map(([name, hashes]) => {
    const [, source, target, edited, outdated] =
      (typeof hashes === 'string' && /^([0-9a-f]{16}) ([0-9a-f]{16})( edited)?( outdated)?$/.exec(hashes)) ||
      [];
    if (!source || !target) throw wrong(`${JSON.stringify(shown(name))} has no hashes`);
    return [name, { source, target, isEdited: edited !== undefined, isOutdated: outdated !== undefined }];
  });
}

/**
 * Returns the hashes of a translation that was written. Texts that it lacks are left out.
 * @param kept the texts of an existing translation that it has
 */
export function hashTexts(source: FileTexts, target: FileTexts, kept: KeptTexts = new Map()): WrittenTexts {
  const hashesOf = (from: FileText, into: string, kind: string | undefined, name: string) =>
    `${hashOf(from.source, from.kind)} ${hashOf(into, kind)}${kept.get(name)?.isEdited ? ' edited' : ''}`;
  if (source.isOrdered) {
    if (source.all.length !== target.all.length) return [];
    return source.all.map((text, at) => {
      const { own, kind } = target.all[at]!;
      return hashesOf(text, own[0]!.text, kind, text.names[0]!);
    });
  }
  const own = new Map(target.all.flatMap((text) => text.own.map((one) => [one.name, one.text] as const)));
  return Object.fromEntries(
    source.all.flatMap((text) =>
      text.names.flatMap((name) =>
        own.has(name) ? [[name, hashesOf(text, own.get(name)!, undefined, name)]] : [],
      ),
    ),
  );
}

/** The line ends are not hashed: a clone may have others. */
function hashOf(text: string, kind = ''): string {
  const content = `${kind === '' ? '' : `${kind}\0`}${text.replaceAll(/\r\n?/g, '\n')}`;
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/**
 * Returns a function that makes names unique: those of a text that occurs again get a number. Backslashes in the names are
 * escaped, so that no name has the sign before the number.
 */
export function uniqueNames(): (names: readonly string[]) => (name: string) => string {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (names) => {
    const first = names[0] ?? '';
    let count = counts.get(first) ?? 0;
    const numbered = (name: string) => (count === 1 ? name : `${name}\\#${count}`);
    do count++;
    while (names.some((name) => taken.has(numbered(name))));
    counts.set(first, count);
    for (const name of names) taken.add(numbered(name));
    const own = count;
    return (name) => (own === 1 ? name : `${name}\\#${own}`);
  };
}

/** Returns a key as a part of a name in which parts are joined with dots. */
export function escapeKey(key: string): string {
  return key.replaceAll(/[\\.]/g, '\\$&');
}
