import { addedLinkIssue } from '#server/translations/vetoes/added-link.ts';
import { echoIssue } from '#server/translations/vetoes/echo.ts';
import { languageIssue } from '#server/translations/vetoes/language.ts';
import { lengthIssue } from '#server/translations/vetoes/length-ratio.ts';
import { loopIssue } from '#server/translations/vetoes/loop.ts';
import { refusalIssue } from '#server/translations/vetoes/refusal.ts';
import { textPair } from '#server/translations/vetoes/text-pair.ts';
import { scriptIssue } from '#server/translations/vetoes/wrong-script.ts';

const checks = {
  length: lengthIssue,
  echo: echoIssue,
  script: scriptIssue,
  language: languageIssue,
  loop: loopIssue,
  refusal: refusalIssue,
  link: addedLinkIssue,
};

export type Check = keyof typeof checks;

/** Which checks veto, each asked by itself. */
export function vetoes(
  sourceLang: string,
  sourceText: string,
  targetLang: string,
  targetText: string,
): Check[] {
  const pair = textPair({ sourceText, targetText, sourceLang, targetLang });
  return (Object.keys(checks) as Check[]).filter((check) => checks[check](pair) !== undefined);
}
