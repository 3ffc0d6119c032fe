import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import type { TranslationRequest } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { isComposing } from '../../keys/match-key.ts';
import { Row, Stack } from '../../kit/box.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
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
import { Panes } from './panes.tsx';
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
export function TextTranslation(props: TextProps) {
  const { from, to, choose, text, takesFiles, onText, onSplit } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { isBusy, runOf, open, found, problems, submit, reset, retry } = useTextForm(props, field);
  const [selected, setSelected] = useState<string>();
  const current = selected !== undefined && to.includes(selected) ? selected : to[0];
  const run = current === undefined ? undefined : runOf(current);
  const isOld = run !== undefined && run.request.source_text !== text;
  const swap = () => {
    if (current === undefined || from === detected) return;
    const translation = isOld ? undefined : run?.job?.final_translation;
    choose({ from: current, to: to.map((code) => (code === current ? from : code)) });
    setSelected(from);
    if (translation) onText(translation);
  };
  const canSwap = from !== detected && current !== undefined && !to.includes(from);
  return (
    <Panes
      onSubmit={() => void submit(from)}
      isBusy={isBusy}
      source={
        <>
          <SourceLanguages
            from={from}
            found={found}
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
              if (changed === '') reset();
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
            {problems.languages && <Flaw>{problems.languages}</Flaw>}
          </SourceText>
        </>
      }
      way={<SplitLink text={text} onSplit={onSplit} />}
      results={
        <>
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
            isOld={isOld}
            retry={retry}
          >
            <TextWeight text={text} from={from} to={to} />
          </ResultPanel>
        </>
      }
    />
  );
}

/** Sends the text, and collects what is wrong with it. @param field gets the focus if the text cannot be sent */
function useTextForm({ from, to, text, options }: TextProps, field: RefObject<HTMLTextAreaElement | null>) {
  const t = useT();
  const { number } = useFormat();
  const { runs, isBusy, translate, translateAll } = useTextRuns();
  const [wasSent, setSent] = useState(false);
  const isTooLong = lengthOf(text) > deployment.maxSourceChars;
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
  const ofText = runs.filter(({ request }) => request.source_text === text);
  return {
    isBusy,
    runOf: (code: string) => runs.find(({ request }) => request.target_lang === code),
    /** All runs have the same text. If its language is unknown, the member is asked only once. */
    open: runs.find(({ error }) => openCandidates(error)),
    /** The language that was detected. */
    found:
      from === detected
        ? ofText.find(({ request, job }) => request.source_lang === detected && job)?.job?.request.source_lang
        : undefined,
    problems: {
      text: isTooLong
        ? t('translate.too_long', { most: number(deployment.maxSourceChars) })
        : wasSent && text.trim() === ''
          ? t('translate.no_text')
          : runs.map(({ error }) => fieldProblem(error, 'source_text')).find(Boolean),
      languages: wasSent && to.length === 0 ? t('translate.no_language') : undefined,
    },
    submit,
    /** Takes back what is wrong, after the text was removed. */
    reset: () => setSent(false),
    retry: (request: TranslationRequest) => void translate(request),
  };
}

/** The part of the allowance that the translation of the text uses. */
function TextWeight({ text, from, to }: { text: string; from: string; to: readonly string[] }) {
  const length = lengthOf(text);
  if (length === 0) return null;
  if (from === detected) return <WeightOfDetected />;
  return <Weight weights={to.map((code) => weightOf(length, from, code))} />;
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
  const empty = (
    <Stack gap={2} pad={5}>
      <Text as="p" tone="faint">
        {t(current === undefined ? 'translate.choose_languages' : 'translate.results_here')}
      </Text>
      {current !== undefined && children}
    </Stack>
  );
  if (current === undefined) return empty;
  const { panel, tab } = panelOf(current);
  return (
    <div role="tabpanel" id={panel} aria-labelledby={tab}>
      {run ? <TextResult run={run} isOld={isOld} retry={() => retry(run.request)} /> : empty}
    </div>
  );
}

/** Leads to the batch: with the lines of the text, if it has several. */
function SplitLink({ text, onSplit }: { text: string; onSplit: () => void }) {
  const t = useT();
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '').length;
  return (
    <button type="button" className="plain" onClick={onSplit}>
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
        aria-describedby={problem ? 'source-problem source-length' : 'source-length'}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          if (!isComposing(event.nativeEvent)) submit();
        }}
      />
      {/* At the end of the pane, also if the text has its full height. */}
      <div style={{ marginBlockStart: 'auto' }} />
      <Stack gap={1} pad={3}>
        {problem && <Flaw id="source-problem">{problem}</Flaw>}
        {children}
        <Row gap={1} justify="end">
          <Text id="source-length" size="sm" tone="faint" isNumeric>
            {t('translate.length', {
              length: number(lengthOf(text)),
              most: number(deployment.maxSourceChars),
            })}
          </Text>
          {text !== '' && (
            <IconButton
              label={t('translate.clear')}
              onClick={() => {
                onText('');
                field.current?.focus();
              }}
            >
              <X size={17} aria-hidden />
            </IconButton>
          )}
        </Row>
      </Stack>
    </>
  );
}
