import type { JsonObject, JsonValue } from '../json/parser.ts';
import { type PluralEntry, reasonToKeep, type StringEntry } from '../messages/strings.ts';
import { type Edit, spliceRange } from '../office/splice.ts';

/** The texts of a localization in a string catalog: one text, or texts for devices, plural forms and substitutions. */
export interface LocalizationTexts {
  entries: (StringEntry | PluralEntry)[];
  kept: { reason: string; text: string }[];
  /** The changes of texts that stay. */
  edits: Edit[];
  /** All texts, also those that stay. */
  texts: string[];
}

/** The common properties of the texts of a localization. */
export interface EntryTraits {
  key: string;
  line: number;
  comment: string | undefined;
  writeString(text: string): string;
}

/**
 * Reads the texts of a source localization. Their changes turn a copy of it into the translation.
 *
 * @param template the JSON of the localization
 * @param root its value, whose positions are offsets in the template
 */
export function readLocalization(template: string, root: JsonValue, traits: EntryTraits): LocalizationTexts {
  const found: LocalizationTexts = { entries: [], kept: [], edits: [], texts: [] };
  read(root, traits.comment);
  return found;

  function read(value: JsonValue | undefined, comment: string | undefined): void {
    const object = objectOf(value);
    const unit = unitOf(object, comment);
    if (unit) add(unit);
    const variations = objectOf(object.get('variations'));
    for (const [device, inner] of objectOf(variations.get('device')))
      read(inner, note(comment, `for the device “${device}”`));
    readPlural(variations.get('plural'), comment);
    for (const [name, inner] of objectOf(object.get('substitutions')))
      read(inner, note(comment, `replaces %#@${name}@`));
  }

  function add(unit: StringEntry): void {
    found.texts.push(unit.text);
    const reason = reasonToKeep(unit.text);
    if (!reason) found.entries.push(unit);
    else {
      found.kept.push({ reason, text: unit.text });
      found.edits.push(...[unit.write(unit.text, false)].flat());
    }
  }

  function unitOf(object: JsonObject, comment: string | undefined): StringEntry | undefined {
    const unit = objectOf(object.get('stringUnit'));
    const [state, value] = [unit.get('state'), unit.get('value')];
    if (typeof value?.value !== 'string') return undefined;
    return {
      ...traits,
      comment,
      text: value.value,
      write: (text, needsReview) => [
        ...(state
          ? [{ start: state.start, end: state.end, text: needsReview ? '"needs_review"' : '"translated"' }]
          : []),
        { start: value.start, end: value.end, text: traits.writeString(text) },
      ],
    };
  }

  function readPlural(plural: JsonValue | undefined, comment: string | undefined): void {
    const members = objectOf(plural);
    const units = [...members].flatMap(([category, member]) => {
      const unit = unitOf(objectOf(member), comment);
      return unit ? [{ category, member, unit }] : [];
    });
    const model = units.find(({ category }) => category === 'other');
    if (
      !plural ||
      !model ||
      units.length < members.size ||
      units.every(({ unit }) => reasonToKeep(unit.text))
    ) {
      for (const [category, inner] of members) read(inner, note(comment, `plural form “${category}”`));
      return;
    }
    for (const { unit } of units) found.texts.push(unit.text);
    const forms = new Map(units.map(({ category, unit }) => [category, unit]));
    const { key } = traits;
    const write = (texts: ReadonlyMap<string, string>, needsReview: boolean): Edit[] => {
      const gap = template.slice(plural.start + 1, [...members.values()][0]!.keyStart);
      const end = /\s*$/.exec(template.slice(0, plural.end - 1))![0];
      // Xcode sorts the forms by name.
      const written = [...texts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([category, text]) => {
          const { member, unit } = units.find((one) => one.category === category) ?? model;
          const edits = [unit.write(text, needsReview)].flat().sort((one, other) => one.start - other.start);
          const body = spliceRange(template, member.start, member.end, edits);
          const head = template.slice(member.keyStart, member.start);
          return `${gap}"${category}"${head.slice(head.indexOf('"', 1) + 1)}${body}`;
        });
      return [{ start: plural.start, end: plural.end, text: `{${written.join(',')}${end}}` }];
    };
    found.entries.push({ key, type: 'cardinal', forms, write });
  }
}

const note = (comment: string | undefined, more: string) => (comment ? `${comment}; ${more}` : more);

/** Returns a value as an object; an empty one for other values. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return value?.value instanceof Map ? value.value : new Map();
}

/** Returns the states of all texts of a localization. */
export function statesOf(value: JsonValue | undefined): unknown[] {
  return [...objectOf(value)].flatMap(([key, member]) =>
    key === 'stringUnit' ? [objectOf(member).get('state')?.value] : statesOf(member),
  );
}
