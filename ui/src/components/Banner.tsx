import type { ReactNode } from 'react';
import { tid } from '@/testids';
import './banner.css';

interface BannerProps {
  kind: 'retry' | 'store' | 'recovered';
  icon: ReactNode;
  text: string;
  /** Buttons: what can be done about it. */
  children?: ReactNode;
}

/** A line across the region it concerns. */
export function Banner({ kind, icon, text, children }: BannerProps) {
  return (
    <div className="banner" data-testid={tid('app-banner')} data-kind={kind} role="status">
      {icon}
      <span className="banner-text selectable numbers">{text}</span>
      {children}
    </div>
  );
}
