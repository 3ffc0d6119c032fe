import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import type { TranslationRequest } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { languageOf } from '../../parts/language-text.tsx';
import { fieldProblem } from '../../parts/problem.tsx';
import { detected } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { queryKeys } from '../../query-keys.ts';
import { useSubmissionKeys } from '../../submission-keys.ts';
import { translationService } from '../../translation-service.ts';
import { OpenLanguage, openCandidates } from './open-language.tsx';
import { type Options, textFields } from './options.ts';
import styles from './panes.module.css';
import type { LanguageChoiceProps } from './search.ts';
import { SourceLanguages } from './source-languages.tsx';
import { panelOf, TargetTabs } from './target-tabs.tsx';
import { stateOfRun, TextResult, type TextRun } from './text-result.tsx';
import { Weight, WeightOfDetected } from './weight.tsx';

/** The properties of a way to translate texts. The screen keeps the text, because the options show its cost. */
interface TextProps extends LanguageChoiceProps {
  text: string;
  /** Whether files can be dropped on the screen. */
  takesFiles: boolean;
  options: Options;
  onText: (text: string) => void;
  /** Translates the lines of the text as a batch. */
  onSplit: () => void;
}

/**
 * Translates one text into one or several languages, with the results next to the text. Each language has a separate job,
 * so that a failure in one language does not affect the others.
 */
export function TextTranslation({ from, to, choose, text, takesFiles, options, onText, onSplit }: TextProps) {
  const t = useT();
  const { number } = useFormat();
  const { runs, isBusy, translate, translateAll } = useTextRuns();
  const [selected, setSelected] = useState<string>();
  const [wasSent, setSent] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const length = lengthOf(text);
  const isTooLong = length > deployment.maxSourceChars;
  const current = selected !== undefined && to.includes(selected) ? selected : to[0];
  const runOf = (code: string) => runs.find(({ request }) => request.target_lang === code);
  /** All runs have the same text. If its language is unknown, the member is asked only once. */
  const open = runs.find(({ error }) => openCandidates(error));
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
  const run = current === undefined ? undefined : runOf(current);
  const isOld = (one: TextRun) => one.request.source_text !== text;
  const swap = () => {
    if (current === undefined || from === detected) return;
    const translation = run && !isOld(run) ? run.job?.final_translation : undefined;
    choose({ from: current, to: to.map((code) => (code === current ? from : code)) });
    setSelected(from);
    if (translation) onText(translation);
  };
  const canSwap = from !== detected && current !== undefined && !to.includes(from);

  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void submit(from);
      }}
      noValidate
      className={styles.panes}
    >
      <section className={styles.pane} aria-label={t('translate.source_pane')}>
        <SourceLanguages
          from={from}
          found={
            runs.find(
              (one) => from === detected && !isOld(one) && one.request.source_lang === detected && one.job,
            )?.job?.request.source_lang
          }
          onChange={(code) => choose({ from: code })}
          swap={canSwap ? swap : undefined}
        />
        <SourceText
          field={field}
          text={text}
          language={from}
          problem={problems.text}
          takesFiles={takesFiles}
          onText={(changed) => {
            onText(changed);
            if (changed === '') setSent(false);
          }}
          submit={() => void submit(from)}
        >
          <OpenLanguage
            error={open?.error}
            from={from}
            onChoose={(code) => {
              choose({ from: code });
              void submit(code);
            }}
          />
          {problems.languages && <p className={styles.problem}>{problems.languages}</p>}
        </SourceText>
        <footer className={styles.foot}>
          <SplitLink text={text} onSplit={onSplit} />
          <button type="submit" className="primary" disabled={isBusy}>
            {isBusy ? t('translate.translating') : t('translate.submit')}
          </button>
        </footer>
      </section>
      <section className={`${styles.pane} ${styles.out}`} aria-label={t('translate.results')}>
        <TargetTabs
          codes={to}
          current={current}
          stateOf={(code) => {
            const one = runOf(code);
            return one && stateOfRun(one);
          }}
          onSelect={setSelected}
          onChange={(codes) => {
            choose({ to: codes });
            setSelected(codes.find((code) => !to.includes(code)) ?? current);
          }}
        />
        <ResultPanel
          current={current}
          run={run && !openCandidates(run.error) ? run : undefined}
          isOld={run !== undefined && isOld(run)}
          retry={(request) => void translate(request)}
        >
          {length > 0 &&
            (from === detected ? (
              <WeightOfDetected />
            ) : (
              <Weight weights={to.map((code) => weightOf(length, from, code))} />
            ))}
        </ResultPanel>
      </section>
    </form>
  );
}

/** The panel of the selected tab. @param children shown before there is a result */
function ResultPanel({
  current,
  run,
  isOld,
  retry,
  children,
}: {
  current: string | undefined;
  run: TextRun | undefined;
  isOld: boolean;
  retry: (request: TranslationRequest) => void;
  children: ReactNode;
}) {
  const t = useT();
  if (current === undefined) return <p className={styles.empty}>{t('translate.choose_languages')}</p>;
  const { panel, tab } = panelOf(current);
  return (
    <div role="tabpanel" id={panel} aria-labelledby={tab} className={styles.panel}>
      {run ? (
        <TextResult run={run} isOld={isOld} retry={() => retry(run.request)} />
      ) : (
        <div className={styles.empty}>
          <p>{t('translate.results_here')}</p>
          {children}
        </div>
      )}
    </div>
  );
}

/** Leads to the batch: with the lines of the text, if it has several. */
function SplitLink({ text, onSplit }: { text: string; onSplit: () => void }) {
  const t = useT();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '').length;
  return (
    <button type="button" className={`plain ${styles.split}`} onClick={onSplit}>
      {lines > 1 ? t('translate.split', { count: lines }) : t('translate.several')}
    </button>
  );
}

/** Maximum number of translations that run at the same time. */
const maxConcurrent = 4;

/**
 * Translates one text into several languages. Each language has a separate job, so that a failure in one language does
 * not affect the others.
 */
function useTextRuns() {
  const keys = useSubmissionKeys();
  const queries = useQueryClient();
  const [runs, setRuns] = useState<TextRun[]>([]);

  const change = (request: TranslationRequest, outcome: Omit<TextRun, 'request'>) =>
    setRuns((before) => before.map((run) => (run.request === request ? { request, ...outcome } : run)));

  /** Sends a request. If the same request is sent again after a failure, it has the same idempotency key. */
  const translate = async (request: TranslationRequest) => {
    change(request, {});
    try {
      const sending = translationService.create(request, { idempotencyKey: keys.keyOf(request) });
      change(request, { job: await keys.settle(request, sending) });
    } catch (error) {
      change(request, { error });
    }
    void queries.invalidateQueries({ queryKey: queryKeys.jobs.all });
  };

  return {
    runs,
    isBusy: runs.some(({ job, error }) => !job && !error),
    translate,
    /** Replaces all runs by runs for these requests, and sends the requests. */
    async translateAll(requests: readonly TranslationRequest[]): Promise<void> {
      setRuns(requests.map((request) => ({ request })));
      const queue = [...requests];
      const worker = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await translate(next);
      };
      await Promise.all(Array.from({ length: Math.min(maxConcurrent, requests.length) }, worker));
    },
  };
}

/** The field for the text to translate, with its length. Ctrl+Enter submits. @param children notes about the text */
function SourceText({
  field,
  text,
  language,
  problem,
  takesFiles,
  onText,
  submit,
  children,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  language: string;
  problem: string | undefined;
  takesFiles: boolean;
  onText: (text: string) => void;
  submit: () => void;
  children: ReactNode;
}) {
  const t = useT();
  const { number } = useFormat();
  return (
    <>
      <textarea
        ref={field}
        {...languageOf(language)}
        translate="no"
        className={styles.source}
        aria-label={t('translate.source')}
        placeholder={t(takesFiles ? 'translate.placeholder' : 'translate.placeholder_text')}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby="source-problem source-length"
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          if (!isComposing(event.nativeEvent)) submit();
        }}
      />
      <div className={styles.notes}>
        <p id="source-problem" className={styles.problem}>
          {problem}
        </p>
        {children}
        <div className={styles.count}>
          <span id="source-length">
            {t('translate.length', {
              length: number(lengthOf(text)),
              most: number(deployment.maxSourceChars),
            })}
          </span>
          {text !== '' && (
            <button
              type="button"
              className="ghost icon"
              aria-label={t('translate.clear')}
              title={t('translate.clear')}
              onClick={() => {
                onText('');
                field.current?.focus();
              }}
            >
              <X size={17} aria-hidden />
            </button>
          )}
        </div>
      </div>
    </>
  );
}
