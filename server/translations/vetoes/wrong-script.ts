import type { QualityIssue } from '#server/engines/engine.ts';
import { variantIssue } from './chinese-variant.ts';
import { countLetters, letterWeight, type Script, scriptOf, scripts, scriptsOf } from './script.ts';
import { critical, type TextPair, withoutCode, word } from './text-pair.ts';

/**
 * Letters, by weight, that are in the wrong script: where they outweigh the rest, or are much by themselves. Of Latin
 * ones it takes more, since names of things are often left in them.
 */
const mostly = { share: 0.6, weight: 12, latinWeight: 24 };
const inPart = { share: 0.3, weight: 120, latinWeight: 120 };

/**
 * An answer in a script that the target language is not written in. Words of the source that stay as they are (names,
 * code) do not count, unless they are in the very script of the source's language.
 */
export function scriptIssue(pair: TextPair): QualityIssue | undefined {
  const expected = scriptsOf(pair.targetLang);
  // Most texts are done with at the first, which is the faster.
  if (isWrong(weigh(pair.target, expected))) {
    const kept = scriptsOf(pair.sourceLang).filter((script) => script !== 'Latin');
    if (isWrong(weigh(withoutSourceWords(pair, kept), expected)))
      return critical(
        'accuracy',
        `The translation is not written in the script of its language (${expected.join(' and ')}).`,
        pair.target,
      );
  }
  return kanaIssue(pair) ?? variantIssue(pair);
}

interface Weights {
  right: number;
  /** In a script that is neither right nor Latin. */
  strange: number;
  /** In Latin letters that are not right. */
  latin: number;
}

function weigh(text: string, expected: readonly Script[]): Weights {
  const weights = { right: 0, strange: 0, latin: 0 };
  const counts = countLetters(text);
  for (const script of scripts) {
    const kind = expected.includes(script) ? 'right' : script === 'Latin' ? 'latin' : 'strange';
    weights[kind] += counts[script] * letterWeight(script);
  }
  return weights;
}

function isWrong({ right, strange, latin }: Weights): boolean {
  return [mostly, inPart].some(
    ({ share, weight, latinWeight }) =>
      (strange >= weight || latin >= latinWeight) && strange + latin > share * (right + strange + latin),
  );
}

/** The target without code, and without the words of its source, unless those are in one of the `kept` scripts. */
function withoutSourceWords({ target, sourceWords }: TextPair, kept: readonly Script[]): string {
  return withoutCode(target).replace(word, (found) => {
    if (!sourceWords.has(found.toLowerCase())) return found;
    const script = scriptOf(found.charCodeAt(0));
    return script !== undefined && kept.includes(script) ? found : ' ';
  });
}

/** Chinese has no kana; Japanese of some length is never without. */
function kanaIssue({ target, targetLang }: TextPair): QualityIssue | undefined {
  const { Kana: kana, Han: han, Hangul: hangul } = countLetters(target);
  if (targetLang.startsWith('zh') && kana >= 6 && 4 * kana > kana + han)
    return critical('accuracy', 'The translation is Japanese, not Chinese.', target);
  if (targetLang === 'ja' && han >= 20 && 20 * kana < han && hangul === 0)
    return critical('accuracy', 'The translation is Chinese, not Japanese.', target);
  return undefined;
}
