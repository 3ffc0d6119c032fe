import { clip } from '#server/formats/text.ts';
import { isUntranslated } from '#server/language/translation-memory/sentence-pairs.ts';
import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { integrityIssues } from './integrity/index.ts';
import { echoIssue } from './plausibility/echo.ts';
import { kinship, languageIssue } from './plausibility/language.ts';
import { lengthIssue } from './plausibility/length-ratio.ts';
import { scriptIssue, scriptsOf } from './plausibility/script.ts';
import { textPair, withoutCode, word } from './plausibility/text-pair.ts';
import { checkStyle } from './style/index.ts';

/** A kind of problem that the texts of a segment show, without other segments. */
type UnitProblemKind = 'numbers' | 'tags' | 'length' | 'language' | 'forbidden_words';

export interface UnitProblem {
  kind: UnitProblemKind;
  /** The part of the source or of the translation that has the problem; null if it is the whole segment. */
  text: string | null;
}

/** Segments of one language pair. Plain data, which can be passed to a thread. */
export interface CheckedUnits {
  units: readonly { sourceText: string; targetText: string }[];
  sourceLang: string;
  targetLang: string;
  /** The forbidden words of the tenant's style guides; null without such words. */
  style: TaskStyle | null;
  kinds: readonly UnitProblemKind[];
}

/** Maximum UTF-16 units of the part of a text that a problem names. */
const maxText = 200;

/** Returns the problems of each segment, at most one of each kind. */
export function problemsOfUnits({ units, kinds, ...of }: CheckedUnits): UnitProblem[][] {
  const wanted = new Set(kinds);
  return units.map((unit) => {
    const found = issuesOf({ ...unit, ...of }, wanted);
    return kinds.flatMap((kind) => {
      const issue = found[kind];
      return issue ? { kind, text: issue.span && clip(issue.span, maxText) } : [];
    });
  });
}

type Issue = Pick<QualityIssue, 'span'>;

function issuesOf(
  unit: { sourceText: string; targetText: string } & Omit<CheckedUnits, 'units' | 'kinds'>,
  wanted: ReadonlySet<UnitProblemKind>,
): Partial<Record<UnitProblemKind, Issue | undefined>> {
  const { targetText, targetLang, style } = unit;
  const pair = wanted.has('length') || wanted.has('language') ? textPair(unit) : undefined;
  const integrity =
    wanted.has('numbers') || wanted.has('tags') ? integrityIssues({ ...unit, textType: 'Plain' }) : undefined;
  return {
    // A number that was converted to the units of the other language is no mistake.
    numbers: integrity?.numbers.find(({ category }) => category === 'accuracy'),
    tags: integrity?.codes[0],
    // The whole translation is too long or too short, not a part of it.
    length: pair && lengthIssue(pair) && { span: null },
    language:
      pair && wordsIn(pair.source) > 0
        ? (copyIssue(unit) ?? echoIssue(pair) ?? scriptIssue(pair) ?? languageIssue(pair)) && { span: null }
        : undefined,
    forbidden_words:
      style && wanted.has('forbidden_words') ? checkStyle(targetText, style, targetLang)[0] : undefined,
  };
}

/** Elements whose content is code, other tags, code of reStructuredText and Markdown, and patterns of file names. */
const codeInMarkup =
  /<(code|kbd|samp|var|tt|literal|keycode|input)\b[^<>]{0,300}>[^<>]{0,300}<\/\1>|<[^<>]{1,500}>|(?::[\w-]{1,40}:)?`[^`]{1,300}`|\*\.\w{1,40}/g;

/**
 * Returns the number of words to translate. Tags, code, numbers and acronyms may stay as they are.
 * @param minLetters shorter words are not counted
 */
function wordsIn(text: string, minLetters = 1): number {
  const words = withoutCode(text.replace(codeInMarkup, ' ')).match(word) ?? [];
  return words.filter((one) => one.length >= minLetters && /[\p{Ll}\p{Lo}]/u.test(one)).length;
}

/**
 * Minimum number of words of a copy between languages of one script, and of their letters: fewer are mostly names, keys,
 * the same word, or items of a list such as "a, b, c".
 */
const minCopied = { words: 3, letters: 3 };

/** Returns an issue if the translation is the source. */
function copyIssue(
  unit: { sourceText: string; targetText: string } & Pick<CheckedUnits, 'sourceLang' | 'targetLang'>,
): Issue | undefined {
  const { sourceLang, targetLang } = unit;
  if (kinship(sourceLang, targetLang) === 'same') return undefined;
  const shared = scriptsOf(sourceLang).some((script) => scriptsOf(targetLang).includes(script));
  if (shared && wordsIn(unit.sourceText, minCopied.letters) < minCopied.words) return undefined;
  return isUntranslated(unit) ? { span: null } : undefined;
}
