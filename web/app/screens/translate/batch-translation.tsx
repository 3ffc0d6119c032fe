import { type FormEvent, useRef, useState } from 'react';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Icon } from '../../parts/icons.tsx';
import { LanguageChoice } from '../../parts/languages.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { useSubmissionKeys } from '../../submission-keys.ts';
import { type BatchItem, batchRequest, itemsOf } from './batch-items.ts';
import { BatchResults } from './batch-results.tsx';
import { OpenLanguage } from './open-language.tsx';
import { OptionFields } from './option-fields.tsx';
import { noOptions, type Options, optionsOf } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import { SourceField, Weight, WeightOfDetected } from './source-field.tsx';
import styles from './translate.module.css';
import { isDone, type Sending, useSeries } from './use-series.ts';

/** A text of the form. */
interface Row {
  /** Identifies a row, independent of its content. */
  id: number;
  text: string;
}

/** A batch as it was sent, even if the form has changed since. */
interface SentBatch {
  items: BatchItem[];
  source: string;
  options: Options;
}

/**
 * Translates several texts into several languages, one after the other, as one batch that fits into the allowance or does
 * not start.
 */
export function BatchTranslation({ from, to, choose }: LanguageChoiceProps) {
  const t = useT();
  const { number } = useFormat();
  const keys = useSubmissionKeys();
  const series = useSeries();
  const nextId = useRef(2);
  const [rows, setRows] = useState<Row[]>([
    { id: 0, text: '' },
    { id: 1, text: '' },
  ]);
  const [options, setOptions] = useState(noOptions);
  const [sent, setSent] = useState<SentBatch>({ items: [], source: from, options });
  const [wasSent, setWasSent] = useState(false);
  const texts = rows.map(({ text }) => text).filter((text) => text.trim() !== '');
  const count = texts.length * to.length;
  const isTooMany = count > deployment.maxBatchItems;
  const isBusy = series.state === 'running';
  const isTooLong = (text: string) => lengthOf(text) > deployment.maxSourceChars;

  /** Replaces a row by others. */
  const replace = (id: number, by: string[]) =>
    setRows((before) =>
      before.flatMap((row) =>
        row.id === id ? by.map((text, i) => ({ id: i === 0 ? id : nextId.current++, text })) : [row],
      ),
    );

  /** @param places of the sent items, in order */
  const sendingOf = ({ items, source, options: chosen }: SentBatch, places: number[]): Sending => {
    const request = batchRequest(
      places.flatMap((place) => items[place] ?? []),
      source,
      chosen,
    );
    return {
      key: keys.keyOf(request),
      first: 0,
      places,
      async send(key) {
        try {
          const jobs = await client.translations.createBatch(request, { idempotencyKey: key });
          keys.done(request);
          return jobs;
        } catch (error) {
          keys.failed(request, error);
          throw error;
        }
      },
    };
  };

  const finish = (isDone: boolean) =>
    announce(t(isDone ? 'translate.batch_done' : 'translate.batch_stopped'));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (isBusy || texts.length === 0 || to.length === 0 || isTooMany || texts.some(isTooLong)) return;
    const batch = { items: itemsOf(texts, to), source: from, options };
    setSent(batch);
    finish(await series.start(sendingOf(batch, [...batch.items.keys()])));
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={styles.columns}>
      <div>
        <SourceLanguageSelect value={from} onChange={(code) => choose({ from: code })} />
        <OpenLanguage error={series.error} from={from} onChoose={(code) => choose({ from: code })} />
        <ol className={styles.texts}>
          {rows.map(({ id, text }, index) => (
            <li key={id}>
              <SourceField
                label={t('translate.text_number', { number: index + 1 })}
                text={text}
                language={from}
                problem={
                  isTooLong(text)
                    ? t('translate.too_long', { most: number(deployment.maxSourceChars) })
                    : wasSent && texts.length === 0 && index === 0
                      ? t('translate.no_text')
                      : undefined
                }
                onChange={(changed) => replace(id, [changed])}
              >
                <div className={styles.row}>
                  {text !== '' && (
                    <span className="hint">
                      {t('translate.characters', { length: number(lengthOf(text)) })}
                    </span>
                  )}
                  {text.trim().includes('\n') && (
                    <button type="button" className="small" onClick={() => replace(id, linesOf(text))}>
                      {t('translate.split', { count: linesOf(text).length })}
                    </button>
                  )}
                  {rows.length > 1 && (
                    <button
                      type="button"
                      className="small"
                      aria-label={t('translate.remove_text', { number: index + 1 })}
                      onClick={() => replace(id, [])}
                    >
                      <Icon of="delete" />
                    </button>
                  )}
                </div>
              </SourceField>
            </li>
          ))}
        </ol>
        <button
          type="button"
          onClick={() => setRows((before) => [...before, { id: nextId.current++, text: '' }])}
        >
          <Icon of="add" /> {t('translate.add_text')}
        </button>
        <LanguageChoice
          legend={t('translate.target_languages')}
          chosen={to}
          problem={wasSent && to.length === 0 ? t('translate.no_language') : undefined}
          onChange={(codes) => choose({ to: codes })}
        />
        <p className={isTooMany ? styles.problem : 'hint'}>
          {t('translate.items', { count, most: deployment.maxBatchItems })}
        </p>
        {from === detected ? (
          count > 0 && <WeightOfDetected />
        ) : (
          <Weight
            weights={itemsOf(texts, to).map(({ text, target }) => weightOf(lengthOf(text), from, target))}
          />
        )}
        <OptionFields options={options} offered={optionsOf.batch} onChange={setOptions} />
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? t('translate.translating') : t('translate.submit')}
        </button>
      </div>
      <BatchResults
        items={sent.items}
        source={sent.source}
        series={series}
        resume={async () => finish(await series.resume())}
        leaveOut={async (place) => {
          const rest = series.places?.filter((one) => one !== place && !isDone(series.jobs.get(one)?.status));
          if (rest?.length) finish(await series.goOn(sendingOf(sent, rest)));
        }}
        again={async (place) => finish(await series.goOn(sendingOf(sent, [place])))}
      />
    </form>
  );
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
