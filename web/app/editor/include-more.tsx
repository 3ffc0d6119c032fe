import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import type { Includable } from '#server/formats/selection.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import choices from '../parts/choices.module.css';
import { Problem } from '../parts/problem.tsx';
import { includableNames } from '../parts/reason-names.ts';
import { sendAgain } from '../parts/translate-again.tsx';
import { useAction } from '../parts/use-action.ts';
import { queryKeys } from '../query-keys.ts';
import styles from './quality-report.module.css';
import { receiptOf } from './receipt.tsx';

/**
 * Names the texts of a document that were not translated but can be, and sends its file again with those that the member
 * selects. Nothing is shown if the file has none.
 */
export function IncludeMore({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const found = leftOut(document);
  const [chosen, setChosen] = useState<readonly Includable[]>(() => found.map(({ name }) => name));
  if (found.length === 0) return null;
  const send = run(async () => {
    const next = await sendAgain(
      document,
      found.flatMap(({ name }) => (chosen.includes(name) ? [name] : [])),
    );
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    await navigate({ to: '/app/edit/documents/$documentId', params: { documentId: next.id } });
    announce(t('documents.sent_again'));
  });
  return (
    <form
      className={styles['include']}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <fieldset className={choices.choices}>
        <legend>{t('documents.include_more')}</legend>
        {found.map(({ name, texts }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
            <span>{t('documents.include_texts', { name: t(includableNames[name]), count: texts })}</span>
          </label>
        ))}
      </fieldset>
      <button type="submit" className="small" disabled={isBusy || chosen.length === 0}>
        {t('documents.include_again')}
      </button>
      <p className="hint">{t('documents.include_hint')}</p>
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}

/** The texts that the request left out and could include. The receipt has only those of the file's format. */
function leftOut({ quality_report: report, request }: TenantDocumentJob) {
  const rows = receiptOf(report?.metadata ?? {})?.rows ?? [];
  return (Object.keys(includableNames) as Includable[]).flatMap((name) => {
    const texts = rows
      .filter(({ outcome, reason }) => outcome === 'not_selected' && reason === name)
      .reduce((sum, row) => sum + row.texts, 0);
    return texts > 0 && !request.include?.includes(name) ? [{ name, texts }] : [];
  });
}
