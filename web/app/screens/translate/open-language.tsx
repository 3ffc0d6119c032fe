import { LinguaLoopError } from '#sdk/errors.ts';
import { languageOf } from '#web/server/locale.ts';
import { useInterface } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Flaw } from '../../kit/text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';

/**
 * If the service could not detect the language of a text, returns the candidates that it named; undefined for other
 * errors.
 */
export function openCandidates(error: unknown): string[] | undefined {
  return error instanceof LinguaLoopError ? (error.candidates ?? undefined) : undefined;
}

/**
 * Asks for the language of a text that the service could not detect. The candidates and the language of the interface
 * are offered: a text that is too short for detection is probably in that language.
 */
export function OpenLanguage({
  error,
  from,
  onChoose,
}: {
  error: unknown;
  /** The selected source language. */
  from: string;
  onChoose: (code: string) => void;
}) {
  const { t, locale } = useInterface();
  const { nameOf } = useLanguages();
  const candidates = openCandidates(error);
  if (!candidates || from !== detected) return null;
  return (
    <Stack role="alert" gap={2}>
      <Flaw>{t('translate.language_open')}</Flaw>
      <Row>
        {[...new Set([...candidates, languageOf(locale)])].map((code) => (
          <button key={code} type="button" className="small" onClick={() => onChoose(code)}>
            {nameOf(code)}
          </button>
        ))}
      </Row>
    </Stack>
  );
}
