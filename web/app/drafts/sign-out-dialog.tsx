import { useT } from '../i18n.tsx';
import { Dialog } from '../parts/confirm-dialog.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import { useSending } from '../screens/review/outbox-provider.tsx';
import { deleteDrafts, type StoredDraft } from './drafts.ts';
import { stopOpenEdits } from './open-edits.ts';

/**
 * Shows unsent changes and running requests before sign-out. The texts are deleted unless the member keeps them on the
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
  const sending = useSending();
  const hasDrafts = drafts.length > 0;
  const deleteAll = async () => {
    stopOpenEdits();
    await deleteDrafts();
    onSignOut();
  };
  return (
    <Dialog title={t(hasDrafts ? 'drafts.title' : 'common.sign_out')} onClose={onClose}>
      {(sending > 0 || !hasDrafts) && <p role="status">{t('drafts.sending', { count: sending })}</p>}
      {hasDrafts && <p>{t('drafts.hint')}</p>}
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
        <button
          type="button"
          className="primary"
          onClick={() => void (hasDrafts ? deleteAll() : onSignOut())}
        >
          {t(hasDrafts ? 'drafts.delete' : 'common.sign_out')}
        </button>
        {hasDrafts && (
          <button type="button" onClick={onSignOut}>
            {t('drafts.keep')}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {t('drafts.cancel')}
        </button>
      </div>
    </Dialog>
  );
}
