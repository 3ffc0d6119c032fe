/** The deletion of a workspace: scheduled, running or finished. */
export interface DeletionRecord {
  id: string;
  /** Null if the row of the workspace is deleted. */
  name: string | null;
  state: 'finished' | 'running' | 'scheduled';
  due_at: string;
  finished_at: string | null;
  rows: Record<string, number>;
  files: number;
  files_in_account: number;
  left_in_account: number;
}

/** The rows and files that a deletion would delete. */
export interface DeletionPreview {
  tenant_id: string;
  name: string;
  rows: Record<string, number>;
  files: number;
  /** A number as large as this one stands for this number or more. */
  max_counted: number;
}
