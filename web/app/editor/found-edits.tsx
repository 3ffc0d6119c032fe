import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { useFormat } from '../parts/format.ts';
import { TextDiff } from '../parts/text-diff.tsx';
import { useUnappliedCorrections } from '../screens/documents/found-corrections.tsx';
import bars from './bars.module.css';
import type { Opening } from './kept-edits.ts';
import type { SegmentSaves } from './segment-saves.ts';

/**
 * Offers edits of earlier visits that are only on this device, such as after a crash. Nothing is restored or sent
 * before the reviewer selects that. If a translation has changed since, restoring its edit shows the conflict.
 */
export function FoundEdits({ opening, saves }: { opening: Opening; saves: SegmentSaves }) {
  const t = useT();
  const { moment } = useFormat();
  const { found, forget } = useUnappliedCorrections(opening.documentId, opening.opening);
  if (found.length === 0) return null;
  const restore = () => {
    const taken = new Set(saves.all().keys());
    // Only the latest edit of each segment, and none for a segment in which the reviewer has typed since.
    const chosen = found.filter(({ correction: { segment } }) => {
      const isFree = !taken.has(segment.position);
      taken.add(segment.position);
      return isFree;
    });
    for (const { correction } of chosen)
      saves.edit(correction.segment.position, correction.text, correction.replaces);
    announce(t('editor.found_restored', { count: chosen.length }));
    void forget(chosen);
  };
  return (
    <section className={bars['bar']} aria-label={t('editor.found_title')}>
      <details>
        <summary>{t('editor.found', { count: found.length })}</summary>
        <ul className="rows">
          {found.map(({ draft, correction: { segment, text, replaces } }) => (
            <li key={draft.item.id}>
              <b>{t('documents.segment_n', { number: segment.position + 1 })}</b>{' '}
              <span className="hint">{moment(new Date(draft.changedAt).toISOString())}</span>
              {replaces !== segment.target_text && <p>{t('documents.found_older')}</p>}
              <TextDiff before={segment.target_text ?? ''} after={text} language={opening.language} />
            </li>
          ))}
        </ul>
      </details>
      <button type="button" className="small" onClick={restore}>
        {t('documents.use_found', { count: found.length })}
      </button>
      <button type="button" className="ghost small" onClick={() => void forget(found)}>
        {t('documents.discard_found', { count: found.length })}
      </button>
    </section>
  );
}
