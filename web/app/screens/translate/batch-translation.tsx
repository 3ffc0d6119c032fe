import { type FormEvent, useState } from 'react';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageChoice } from '../../parts/languages.tsx';
import { detected, SourceLanguageSelect } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { useSubmissionKeys } from '../../submission-keys.ts';
import { type BatchItem, batchRequest, itemsOf } from './batch-items.ts';
import { BatchResults } from './batch-results.tsx';
import { BatchTexts, isTooLong, useBatchTexts } from './batch-texts.tsx';
import { OpenLanguage } from './open-language.tsx';
import { OptionFields } from './option-fields.tsx';
import { noOptions, type Options, optionsOf } from './options.ts';
import type { LanguageChoiceProps } from './search.ts';
import { Weight, WeightOfDetected } from './source-field.tsx';
import styles from './translate.module.css';
import { isDone, type Sending, useSeries } from './use-series.ts';

/** A batch as it was sent; later changes of the form do not change it. */
interface SentBatch {
  items: BatchItem[];
  source: string;
  options: Options;
}

/**
 * Translates several texts into several languages in one batch. The texts are translated one after the other. If the
 * allowance is too small for the whole batch, nothing is translated.
 */
export function BatchTranslation({ from, to, choose }: LanguageChoiceProps) {
  const t = useT();
  const keys = useSubmissionKeys();
  const series = useSeries();
  const typed = useBatchTexts();
  const [options, setOptions] = useState(noOptions);
  const [sent, setSent] = useState<SentBatch>({ items: [], source: from, options });
  const [wasSent, setWasSent] = useState(false);
  const texts = typed.rows.map(({ text }) => text).filter((text) => text.trim() !== '');
  const count = texts.length * to.length;
  const isTooMany = count > deployment.maxBatchItems;
  const isBusy = series.state === 'running';

  /** @param places the indices of the items to send, in ascending order */
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
      send: (key) => keys.settle(request, client.translations.createBatch(request, { idempotencyKey: key })),
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
        <BatchTexts {...typed} language={from} isMissing={wasSent && texts.length === 0} />
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
