import { FileText, List } from 'lucide-react';
import { useT } from '../../i18n.tsx';
import { CommandKey } from '../../keys/command-key.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Row } from '../../kit/box.tsx';
import { Segments } from '../../kit/segments.tsx';

const storedKey = 'lingualoop-page-view';

/** Maximum number of files whose view this device remembers. */
const maxStored = 100;

/** Changes between the list of segments and the pages of a file. This device remembers the view of each file. */
export default function ViewSwitch({
  documentId,
  isPage,
  onChange,
}: {
  documentId: string;
  isPage: boolean;
  onChange: (isPage: boolean) => void;
}) {
  const t = useT();
  const change = (isNext: boolean) => {
    const others = (localStorage.getItem(storedKey) ?? '').split(' ').filter((id) => id !== documentId);
    localStorage.setItem(storedKey, [...others, ...(isNext ? [documentId] : [])].slice(-maxStored).join(' '));
    onChange(isNext);
  };
  useCommands({ pageView: () => change(!isPage) });
  return (
    <Segments
      label={t('pageView.view')}
      value={isPage ? 'page' : 'grid'}
      options={[
        [
          'grid',
          <Row key="grid" as="span" isTight gap={1}>
            <List size={14} aria-hidden className="mirrored" /> {t('pageView.grid')}
          </Row>,
        ],
        [
          'page',
          <Row key="page" as="span" isTight gap={1}>
            <FileText size={14} aria-hidden /> {t('pageView.page')} <CommandKey id="pageView" isHidden />
          </Row>,
        ],
      ]}
      onChange={(view) => change(view === 'page')}
    />
  );
}
