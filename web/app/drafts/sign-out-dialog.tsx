import { useT } from '../i18n.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { deleteDrafts, draftDays, type StoredDraft } from './drafts.ts';
import { stopOpenEdits } from './open-edits.ts';

/**
 * Shows unsent changes before sign-out. The texts are deleted unless the member keeps them on the
 * device.
 */
export function SignOutDialog({
  drafts,
  onSignOut,
  onClose,
}: {
  drafts: readonly StoredDraft[];
  onSignOut: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const deleteAll = async () => {
    stopOpenEdits();
    await deleteDrafts();
    onSignOut();
  };
  return (
    <Dialog title={t('drafts.title')} onClose={onClose}>
      <p>{t('drafts.hint', { days: draftDays })}</p>
      <ul className="rows">
        {drafts.map(({ item, source, text, language }) => (
          <li key={`${item.kind} ${item.id}`}>
            <bdi className="hint" translate="no">
              {source}
            </bdi>
            <LanguageText as="span" language={language}>
              {text.slice(0, 200)}
            </LanguageText>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="primary" onClick={() => void deleteAll()}>
          {t('drafts.delete')}
        </button>
        <button type="button" onClick={onSignOut}>
          {t('drafts.keep')}
        </button>
        <button type="button" onClick={onClose}>
          {t('drafts.cancel')}
        </button>
      </div>
    </Dialog>
  );
}
