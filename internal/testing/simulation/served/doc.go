// Package served runs the simulation with servers of the API over the copies of its replicas. It is
// apart from package simulation because it links the engine of serve, which takes half a minute.
package served
