// The packages that draw a graph, as a script of its own: the page and the one beside an answer load the same file.
import Graph from 'graphology';
import Sigma from 'sigma';
import { EdgeLineProgram, EdgeRectangleProgram, NodeProgram } from 'sigma/rendering';
import { floatColor } from 'sigma/utils';

const drawing = { Graph, Sigma, EdgeLineProgram, EdgeRectangleProgram, NodeProgram, floatColor };

declare global {
  var vaultgraphDrawing: typeof drawing;
}

globalThis.vaultgraphDrawing = drawing;
