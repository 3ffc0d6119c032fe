import { ArrowLeft } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { detected } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { translationService } from '../../translation-service.ts';
import { type BatchItem, BatchResults, batchRequest, itemsOf } from './batch-results.tsx';
import { BatchTexts, isTooLong, type useBatchTexts } from './batch-texts.tsx';
import { OpenLanguage } from './open-language.tsx';
import type { Options } from './options.ts';
import styles from './panes.module.css';
import type { LanguageChoiceProps } from './search.ts';
import type { SentRecords } from './sent-record.ts';
import { isDone, type Sending } from './series.ts';
import { SourceLanguages } from './source-languages.tsx';
import { TargetChips } from './target-chips.tsx';
import { useSeries } from './use-series.ts';
import { Weight, WeightOfDetected } from './weight.tsx';

/** A batch as it was sent; later changes of the form do not change it. */
interface SentBatch {
  items: BatchItem[];
  source: string;
  options: Options;
}

/**
 * Translates several texts into several languages in one batch. The texts are translated one after the other. If the
 * allowance is too small for the whole batch, nothing is translated.
 * @param onBack returns to a single text
 */
export function BatchTranslation({
  from,
  to,
  choose,
  typed: { fill: _, ...typed },
  options,
  sent: records,
  onBack,
}: LanguageChoiceProps & {
  typed: ReturnType<typeof useBatchTexts>;
  options: Options;
  sent: SentRecords;
  onBack: () => void;
}) {
  const t = useT();
  const [sent, setSent] = useState(() => sentBefore(records, options));
  const [wasSent, setWasSent] = useState(false);
  const texts = typed.rows.map(({ text }) => text).filter((text) => text.trim() !== '');
  const count = texts.length * to.length;
  const isTooMany = count > deployment.maxBatchItems;
  const { view, start, resume, leaveOut, again } = useBatchSeries(records, sent, setSent);
  const isBusy = view.state === 'running';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (isBusy || texts.length === 0 || to.length === 0 || isTooMany || texts.some(isTooLong)) return;
    await start({ items: itemsOf(texts, to), source: from, options });
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={styles.panes}>
      <section className={styles.pane} aria-label={t('translate.source_pane')}>
        <SourceLanguages from={from} onChange={(code) => choose({ from: code })} />
        <div className={styles.content}>
          <OpenLanguage error={view.error} from={from} onChoose={(code) => choose({ from: code })} />
          <BatchTexts {...typed} language={from} isMissing={wasSent && texts.length === 0} />
          <TargetChips codes={to} onChange={(codes) => choose({ to: codes })} />
          {wasSent && to.length === 0 && <p className={styles.problem}>{t('translate.no_language')}</p>}
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
        </div>
        <footer className={styles.foot}>
          <button type="button" className={`plain ${styles.split}`} onClick={onBack}>
            <ArrowLeft size={14} aria-hidden className="mirrored" />
            {t('translate.one_text')}
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            {isBusy ? t('translate.translating') : t('translate.submit')}
          </button>
        </footer>
      </section>
      <section className={`${styles.pane} ${styles.out}`} aria-label={t('translate.results')}>
        <BatchResults
          items={sent.items}
          source={sent.source}
          view={view}
          resume={resume}
          leaveOut={leaveOut}
          again={again}
        />
      </section>
    </form>
  );
}

/** The batch that was sent before a reload. Its texts appear with their jobs. */
function sentBefore(records: SentRecords, options: Options): SentBatch {
  const { batch } = records.read();
  const unknown: BatchItem = { text: '…', target: '' };
  return { items: Array<BatchItem>(batch?.count ?? 0).fill(unknown), source: detected, options };
}

/** The series of the batch that was sent last, also after a reload. */
function useBatchSeries(records: SentRecords, sent: SentBatch, setSent: (sent: SentBatch) => void) {
  const t = useT();
  const { keys } = records;
  const { series, ...view } = useSeries((created) => {
    const { batch } = records.read();
    if (batch) created.follow({ key: batch.key, first: 0 }, batch.count);
  });
  /** @param places the indices of the items to send, in ascending order */
  const sendingOf = ({ items, source, options }: SentBatch, places: number[]): Sending => {
    const request = batchRequest(
      places.flatMap((place) => items[place] ?? []),
      source,
      options,
    );
    return {
      key: keys.keyOf(request),
      first: 0,
      places,
      send: (key) => keys.settle(request, translationService.createBatch(request, { idempotencyKey: key })),
    };
  };
  const finish = (isComplete: boolean) =>
    announce(t(isComplete ? 'translate.batch_done' : 'translate.batch_stopped'));
  return {
    view,
    async start(batch: SentBatch) {
      setSent(batch);
      const sending = sendingOf(batch, [...batch.items.keys()]);
      records.change(() => ({ batch: { key: sending.key, count: batch.items.length } }));
      finish(await series.start(sending));
    },
    resume: async () => finish(await series.resume()),
    /** Continues without the failed item. */
    async leaveOut(place: number) {
      const rest = view.places?.filter((one) => one !== place && !isDone(view.jobs.get(one)?.status));
      if (rest?.length) finish(await series.goOn(sendingOf(sent, rest)));
    },
    again: async (place: number) => finish(await series.goOn(sendingOf(sent, [place]))),
  };
}
