// The vertex data and shader code shared by the two programs that draw discs.
import type { ProgramInfo } from 'sigma/rendering';
import type { NodeDisplayData, RenderParams } from 'sigma/types';
import { floatColor } from 'sigma/utils';

/** The additional display data of a disc. */
export interface Disc extends NodeDisplayData {
  readonly rim: string;
  /** Width in pixels. */
  readonly rimWidth: number;
}

export const number = (name: string, size = 1) => ({ name, size, type: WebGLRenderingContext.FLOAT });
const colour = (name: string) => ({ name, size: 4, type: WebGLRenderingContext.UNSIGNED_BYTE, normalized: true });

/** The attributes, in the order of `discData`. */
export const discAttributes = () => [
  number('a_position', 2),
  number('a_size'),
  colour('a_fill'),
  colour('a_rim'),
  number('a_rimWidth'),
  colour('a_id'),
];

export function discData(id: number, data: NodeDisplayData): number[] {
  const { x, y, size, color, rim, rimWidth } = data as Disc;
  return [x, y, size, floatColor(color), floatColor(rim), rimWidth, id];
}

/** The declarations at the head of both vertex shaders. */
export const DISC_INPUTS = `
attribute vec4 a_id;
attribute vec4 a_fill;
attribute vec4 a_rim;
attribute vec2 a_position;
attribute float a_size;
attribute float a_rimWidth;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
varying vec4 v_fill;
varying vec4 v_rim;
varying float v_radius;
varying float v_rimWidth;`;

/** Part of `main` of both vertex shaders; in the picking image, the colour is the id of the note. */
export const DISC_COLOURS = `
  #ifdef PICKING_MODE
  v_fill = a_id;
  #else
  v_fill = a_fill;
  #endif
  v_fill.a *= 255.0 / 254.0;
  v_rim = a_rim;
  v_rim.a *= 255.0 / 254.0;`;

/** Sets the camera uniforms of both programs. */
export function setCamera({ sizeRatio, matrix }: RenderParams, { gl, uniformLocations }: CameraProgram): void {
  gl.uniform1f(uniformLocations.u_sizeRatio ?? null, sizeRatio);
  gl.uniformMatrix3fv(uniformLocations.u_matrix ?? null, false, matrix);
}

type CameraProgram = Pick<ProgramInfo<'u_sizeRatio' | 'u_matrix'>, 'gl' | 'uniformLocations'>;
