// Draws links with a width in pixels that does not change with the zoom.
import { EdgeRectangleProgram, type ProgramInfo } from 'sigma/rendering';
import type { RenderParams } from 'sigma/types';

export class LineProgram extends EdgeRectangleProgram {
  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    super.setUniforms({ ...params, sizeRatio: 1 }, program);
  }
}
