import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu as AriaMenu, Button, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import popup from './popup.module.css';

/** A command of a menu. */
export interface Command {
  name: string;
  isDisabled?: boolean;
  run: () => void;
}

/**
 * A button that opens a list of commands.
 * @param label the button's name, for screen readers if it shows only the sign of a menu
 * @param children what the button shows instead of that sign
 */
export function Menu({
  label,
  commands,
  children,
}: {
  label: string;
  commands: readonly Command[];
  children?: ReactNode;
}) {
  return (
    <MenuTrigger>
      <Button aria-label={label} className="ghost small">
        {children ?? <Ellipsis size={16} aria-hidden />}
      </Button>
      <Popover className={popup['popup'] as string}>
        <AriaMenu className={popup['list'] as string} aria-label={label}>
          {commands.map(({ name, isDisabled = false, run }) => (
            <MenuItem
              key={name}
              className={popup['item'] as string}
              isDisabled={isDisabled}
              onAction={run}
              textValue={name}
            >
              {name}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
