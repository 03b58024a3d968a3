import type { Catalogue } from './en';
import { app } from './zh-CN/app';
import { work } from './zh-CN/work';

/** 简体中文. */
export const zhCN: Catalogue = { ...app, ...work };
