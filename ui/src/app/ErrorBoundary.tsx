import { Component, type ReactNode } from 'react';
import { Button, Failure } from '@/components';
import { useT } from '@/i18n';

/** Keeps a fault of one view from taking the window with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: string | null }> {
  override state: { failed: string | null } = { failed: null };

  static getDerivedStateFromError(thrown: unknown): { failed: string } {
    return { failed: thrown instanceof Error ? thrown.message : String(thrown) };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (failed === null) return this.props.children;
    return (
      <Fallback
        message={failed}
        onAgain={() => {
          this.setState({ failed: null });
        }}
      />
    );
  }
}

function Fallback({ message, onAgain }: { message: string; onAgain: () => void }) {
  const t = useT();
  return (
    <Failure title={t('app.crash.title')} text={`${t('app.crash.text')} ${message}`}>
      <Button testId="app-retry" onClick={onAgain}>
        {t('app.crash.again')}
      </Button>
    </Failure>
  );
}
