import { type FormEvent, useRef, useState } from 'react';
import type { TranslationRequest } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageChoice } from '../../parts/languages.tsx';
import { fieldProblem } from '../../parts/problem.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { OpenLanguage, openCandidates } from './open-language.tsx';
import { OptionFields } from './option-fields.tsx';
import { noOptions, optionsOf, textFields } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import { SourceField, Weight, WeightOfDetected } from './source-field.tsx';
import { TextResult } from './text-result.tsx';
import styles from './translate.module.css';
import { useTextRuns } from './use-text-runs.ts';

/**
 * Translates one text into one or several languages. Each language has a separate job, so that a failure in one
 * language does not affect the others.
 */
export function TextTranslation({ from, to, choose }: LanguageChoiceProps) {
  const t = useT();
  const { number } = useFormat();
  const { runs, isBusy, translate, translateAll } = useTextRuns();
  const [text, setText] = useState('');
  const [options, setOptions] = useState(noOptions);
  const [wasSent, setSent] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const length = lengthOf(text);
  /** The weight of a character depends on the language, so it is unknown before a detection. */
  const isKnown = from !== detected;
  const isTooLong = length > deployment.maxSourceChars;
  /** All runs have the same text. If its language is unknown, the member is asked only once. */
  const open = runs.find(({ error }) => openCandidates(error));
  const shown = runs.filter(({ error }) => !openCandidates(error));
  const problems = {
    text: isTooLong
      ? t('translate.too_long', { most: number(deployment.maxSourceChars) })
      : wasSent && text.trim() === ''
        ? t('translate.no_text')
        : runs.map(({ error }) => fieldProblem(error, 'source_text')).find(Boolean),
    languages: wasSent && to.length === 0 ? t('translate.no_language') : undefined,
  };

  const submit = async (source: string) => {
    setSent(true);
    if (isBusy) return;
    if (text.trim() === '' || isTooLong) return field.current?.focus();
    if (to.length === 0) return;
    const requests = to.map(
      (target): TranslationRequest => ({
        source_text: text,
        source_lang: source,
        target_lang: target,
        ...textFields(options),
      }),
    );
    await translateAll(requests);
    announce(t('translate.finished', { count: requests.length }));
  };

  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit(from);
      }}
      noValidate
      className={styles.columns}
    >
      <div>
        <SourceLanguageSelect value={from} onChange={(code) => choose({ from: code })} />
        <OpenLanguage
          error={open?.error}
          from={from}
          onChoose={(code) => {
            choose({ from: code });
            void submit(code);
          }}
        />
        <SourceField
          field={field}
          label={t('translate.source')}
          text={text}
          language={from}
          isTall
          problem={problems.text}
          onChange={setText}
        >
          <p className="hint">
            {t('translate.length', { length: number(length), most: number(deployment.maxSourceChars) })}
          </p>
        </SourceField>
        <LanguageChoice
          legend={t('translate.target_languages')}
          chosen={to}
          problem={problems.languages}
          noteOf={(code) => (length > 0 && isKnown ? number(weightOf(length, from, code)) : '')}
          onChange={(codes) => choose({ to: codes })}
        />
        {isKnown ? (
          <Weight weights={to.map((code) => weightOf(length, from, code))} />
        ) : (
          length > 0 && <WeightOfDetected />
        )}
        <OptionFields options={options} offered={optionsOf.text} onChange={setOptions} />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('translate.translating') : t('translate.submit')}
        </button>
      </div>
      <section aria-label={t('translate.results')}>
        {shown.length === 0 && <p className="hint">{t('translate.results_here')}</p>}
        {shown.map((run) => (
          <TextResult key={run.request.target_lang} run={run} retry={() => void translate(run.request)} />
        ))}
      </section>
    </form>
  );
}
