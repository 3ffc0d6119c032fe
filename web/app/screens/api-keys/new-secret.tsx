import { useT } from '../../i18n.tsx';
import { Dialog } from '../../parts/confirm-dialog.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';

/**
 * The dialog that shows a new secret, once. Escape does not close it: a key that was not copied would be lost.
 */
export function NewSecret({ title, value, onClose }: { title: string; value: string; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={title} onClose={onClose} isBusy>
      <ShownOnce label={t('apiKeys.secret')} value={value} />
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          {t('apiKeys.done')}
        </button>
      </div>
    </Dialog>
  );
}
